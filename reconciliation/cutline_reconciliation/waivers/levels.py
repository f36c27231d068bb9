"""The levels without what waivers took: gates do not count it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeVar

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.tables.breaks import OUTCOME, RECORD, STATE
from cutline_reconciliation.results import (
    Category,
    OutcomeLevel,
    RecordLevel,
    StateLevel,
    Summary,
)

L = TypeVar("L", RecordLevel, StateLevel, OutcomeLevel)


@dataclass(frozen=True)
class Waived:
    """Subjects of one level, name and category whose breaks there are all waived."""

    level: str
    name: str
    category: str | None
    subjects: int
    at_risk: Decimal
    """What their breaks put at risk; what is no amount is not in it."""


def waived_subjects(breaks: DataFrame) -> list[Waived]:
    """By level, name and category, the subjects that have breaks there and all of them waived.

    Bounded as categories are, which are of few values.
    """
    subjects = breaks.groupBy("level", "name", "subject").agg(
        F.every(F.col("waiver").isNotNull()).alias("taken"),
        F.max("category").alias("category"),
        F.coalesce(F.try_sum("at_risk"), F.lit(0)).alias("at_risk"),
    )
    rows = (
        subjects.where("taken")
        .groupBy("level", "name", "category")
        .agg(F.count(F.lit(1)).alias("subjects"), F.try_sum("at_risk").alias("at_risk"))
        .collect()
    )
    return [
        Waived(r["level"], r["name"], r["category"], r["subjects"], r["at_risk"] or Decimal(0))
        for r in rows
    ]


def without_waived(summary: Summary, waived: Sequence[Waived]) -> Summary:
    """The summary, with waived subjects told as such and no longer among the compared ones."""
    return dataclasses.replace(
        summary,
        record=tuple(_less(one, _of(RECORD, one.name, waived)) for one in summary.record),
        state=tuple(_less(one, _of(STATE, one.name, waived)) for one in summary.state),
        outcome=tuple(
            _less_at_risk(_less(one, mine), mine)
            for one in summary.outcome
            for mine in [_of(OUTCOME, one.name, waived)]
        ),
    )


def _of(level: str, name: str, waived: Iterable[Waived]) -> list[Waived]:
    return [one for one in waived if (one.level, one.name) == (level, name)]


def _less(level: L, waived: Sequence[Waived]) -> L:
    taken = sum(one.subjects for one in waived)
    return dataclasses.replace(
        level,
        compared=level.compared - taken,
        waived=taken,
        categories=tuple(_less_of(part, waived) for part in level.categories),
    )


def _less_of(part: Category, waived: Sequence[Waived]) -> Category:
    mine = [one for one in waived if one.category == part.category]
    taken = sum(one.subjects for one in mine)
    return dataclasses.replace(
        part,
        compared=part.compared - taken,
        broken=part.broken - taken,
        at_risk=_left(part.at_risk, mine),
    )


def _less_at_risk(level: OutcomeLevel, waived: Sequence[Waived]) -> OutcomeLevel:
    return dataclasses.replace(level, at_risk=_left(level.at_risk, waived))


def _left(at_risk: Decimal | None, waived: Sequence[Waived]) -> Decimal | None:
    return None if at_risk is None else at_risk - sum((w.at_risk for w in waived), Decimal(0))
