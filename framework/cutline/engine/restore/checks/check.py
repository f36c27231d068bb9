"""One check, as a predicate on a row."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import Column
from pyspark.sql import functions as F


@dataclass(frozen=True)
class Check:
    """One check of one row: `breaks` holds for a row that fails it, and is never null."""

    rule: str
    reason: str
    breaks: Column


def unless(rule: str, reason: str, holds: Column) -> Check:
    """The check that a row fails where `holds` is false; where it is null, the row passes."""
    return Check(rule, reason, F.coalesce(~holds, F.lit(False)))
