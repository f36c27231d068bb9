"""Moments as connectors write them: text with an offset or without one, and counts since 1970."""

from __future__ import annotations

from cutline.sources.exact_cast import cast_text
from cutline.sources.local_times import instant_sql

LAST_SECOND = 253_402_300_799
"""The last second of the year 9999."""
_FIRST_SECOND = -62_135_596_800  # the beginning of the year 1
_ZONED = r"(?:Z|[+-][0-9]{2}(?::?[0-9]{2})?)\s*$"


def moment(text: str, zone: str) -> str:
    """SQL for the moment that a text spells: what clocks in the zone show, unless it has an offset.

    Null for a local time that they do not show, or show twice.
    """
    value = cast_text(text, "timestamp")
    if zone == "UTC":
        return value
    at = instant_sql(value, zone)
    return f"CASE WHEN {text} RLIKE r'[T ].*{_ZONED}' THEN {value} ELSE {at} END"


def counted_moment(count: str, unit: int) -> str:
    """SQL for the moment that a count since 1970 means, with `unit` counts a second, at most a
    million; null outside of the years 1 to 9999.
    """
    inside = f"{count} BETWEEN {_FIRST_SECOND * unit} AND {(LAST_SECOND + 1) * unit - 1}"
    return f"CASE WHEN {inside} THEN timestamp_micros({count} * {10**6 // unit}) END"
