"""The classes of keys: each key of a comparison is in exactly one."""

from __future__ import annotations

MATCHED = "matched"
WITHIN_TOLERANCE = "within_tolerance"
CHANGED = "changed"
ONLY_LEFT = "only_left"
ONLY_RIGHT = "only_right"
DUPLICATED = "duplicated"
NULL_KEY = "null_key"
ALL = (MATCHED, WITHIN_TOLERANCE, CHANGED, ONLY_LEFT, ONLY_RIGHT, DUPLICATED, NULL_KEY)
