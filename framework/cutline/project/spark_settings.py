"""Spark settings on which results depend, for sessions of Cutline's own and others alike."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

REQUIRED: dict[str, tuple[str, ...]] = {
    # Overflow and a text that is no number are errors, not nulls.
    "spark.sql.ansi.enabled": ("true",),
    # Days begin in UTC, and a time without a zone is read and written as UTC.
    "spark.sql.session.timeZone": ("UTC", "Etc/UTC", "GMT", "Etc/GMT", "Z", "+00:00"),
    # The older parser of times takes what is none, such as the 31st of February.
    "spark.sql.legacy.timeParserPolicy": ("CORRECTED",),
    # One name is one column, however it is spelt.
    "spark.sql.caseSensitive": ("false",),
    # A backslash in a literal of a generated or a declared condition escapes.
    "spark.sql.parser.escapedStringLiterals": ("false",),
    # A quoted name is that column, and no pattern.
    "spark.sql.parser.quotedRegexColumnNames": ("false",),
}
"""By setting, the values with which results are the same as in a session of Cutline's own. The
first is the one to set."""


def is_required(key: str, value: str) -> bool:
    """Whether the value of a setting of `REQUIRED` is one of those that it may have."""
    return value.lower() in {required.lower() for required in REQUIRED[key]}


def differing_settings(conf: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Each setting of `conf` that a session must not have, with what is wrong with it."""
    for key, value in conf.items():
        if key in REQUIRED and not is_required(key, value):
            yield key, f"is {value}, and must be {REQUIRED[key][0]}: results depend on it."
