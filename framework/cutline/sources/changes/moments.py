"""Moments as connectors write them in text, with an offset or without one."""

from __future__ import annotations

from cutline.sources.exact_cast import cast_text
from cutline.sources.local_times import instant_sql

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
