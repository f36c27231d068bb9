"""The match of a waiver, as a column over breaks."""

from __future__ import annotations

import re
from functools import reduce
from operator import and_

from pyspark.sql import Column
from pyspark.sql import functions as F

from cutline.project.waivers import Match

_EXACT = ("level", "name", "aggregate", "kind", "column", "category", "cluster", "legacy", "new")
_PATTERNS = {"subject": "subject_pattern", "legacy": "legacy_pattern", "new": "new_pattern"}


def matches(match: Match) -> Column:
    """Whether a break fulfils every condition of the match; never null."""
    tests = [
        F.col(f"`{name}`") == F.lit(value)
        for name in _EXACT
        if (value := getattr(match, name)) is not None
    ]
    tests += [
        F.col(name).rlike(_regex(pattern))
        for name, key in _PATTERNS.items()
        if (pattern := getattr(match, key)) is not None
    ]
    if match.subjects is not None:
        tests.append(F.col("subject").isin(*match.subjects))
    if match.where is not None:
        tests.append(condition_sql(match.where))
    return F.coalesce(reduce(and_, tests), F.lit(False))


def condition_sql(where: str) -> Column:
    """The SQL of a match."""
    # The line end closes a comment in the SQL before the bracket.
    return F.expr(f"(\n{where}\n)")


def _regex(pattern: str) -> str:
    """The Java regular expression of a pattern for whole texts.

    `*` is any text and `?` one character; all else is literal.
    """
    wild = {"*": ".*", "?": "."}
    parts = [wild.get(part) or _literally(part) for part in re.split(r"([*?])", pattern) if part]
    return rf"(?s)\A{''.join(parts)}\z"


def _literally(text: str) -> str:
    return "".join(c if c.isalnum() else rf"\x{{{ord(c):x}}}" for c in text)
