"""Spark settings with which results would be others."""

from __future__ import annotations

REFUSED_SETTINGS = {
    "spark.sql.ansi.enabled": "false",
    "spark.sql.session.timeZone": "Europe/Berlin",
    "spark.sql.legacy.timeParserPolicy": "LEGACY",
    "spark.sql.caseSensitive": "true",
    "spark.sql.parser.escapedStringLiterals": "true",
    "spark.sql.parser.quotedRegexColumnNames": "true",
}
"""Each setting that a session must have, with a value that is refused."""
