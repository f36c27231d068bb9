"""Dates and times as connectors write them: counts since 1970, or text, with or without a zone."""

from __future__ import annotations

from pyspark.sql import types as T

from cutline.sources.changes.modes import Modes
from cutline.sources.changes.moments import LAST_SECOND, moment
from cutline.sources.exact_cast import cast_text

_LAST_DAY = LAST_SECOND // 86_400


def date_value(text: str, number: str, modes: Modes) -> str:
    """SQL for a date; `number` is SQL for whether the value was a number."""
    date_text = _without_date_zone(text)
    if modes.times == "isostring":
        return cast_text(date_text, "date")
    count = f"try_cast({text} AS int)"
    inside = f"{count} BETWEEN {-_LAST_DAY} AND {_LAST_DAY}"
    counted = f"CASE WHEN {inside} THEN date_from_unix_date({count}) END"
    return f"CASE WHEN {number} THEN {counted} ELSE {cast_text(date_text, 'date')} END"


def timestamp_value(text: str, number: str, ddl: str, column: str, modes: Modes) -> str:
    """SQL for a timestamp, with a zone or without (`ddl`).

    Null for a local time that clocks in the zone do not show, or show twice.
    """
    local = isinstance(T.DataType.fromDDL(ddl), T.TimestampNTZType)
    value = cast_text(_without_z(text), ddl) if local else moment(text, modes.zone)
    if modes.times == "isostring":
        return value
    unit = modes.counts_per_second(column)
    count = f"try_cast({text} AS bigint)"
    micros = _micros(count, unit)
    inside = f"{count} BETWEEN {-LAST_SECOND * unit}BD AND {(LAST_SECOND + 1) * unit - 1}BD"
    counted = f"CASE WHEN {inside} THEN CAST(timestamp_micros({micros}) AS {ddl}) END"
    return f"CASE WHEN {number} THEN {counted} ELSE {value} END"


def _micros(count: str, unit: int) -> str:
    """SQL for a count as microseconds; null where it is finer."""
    if unit <= 10**6:
        return f"{count} * {10**6 // unit}"
    finer = unit // 10**6
    return f"CASE WHEN {count} % {finer} = 0 THEN {count} DIV {finer} END"


def _without_date_zone(text: str) -> str:
    """SQL for a date without the Z that Debezium's ISO text has after it."""
    return rf"regexp_replace({text}, r'^(\d{{4}}-\d{{2}}-\d{{2}})Z$', '$1')"


def _without_z(text: str) -> str:
    """SQL for a local time without the Z that Debezium's ISO text has after it."""
    return rf"regexp_replace({text}, r'Z$', '')"
