"""The ways in which a subject or a decision depends on a feed."""

from __future__ import annotations

ITSELF = "itself"
LOOKS_AT = "looks-at"
PART = "part"
BY_ROW = "row"
WAYS = (ITSELF, LOOKS_AT, PART, BY_ROW)
"""The feed is of the very subject; of a subject that the decision looks at; of a declared part; or
a legacy row of it announced an event of the subject. The first of several ways counts, and the
order is that of the texts.
"""
