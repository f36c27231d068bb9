"""The levels without waived subjects, which gates do not count."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeVar

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.results.reconcile import (
    Category,
    LevelResults,
    OutcomeLevel,
    RecordLevel,
    StateLevel,
)
from cutline.tables.breaks import OUTCOME, RECORD, STATE

L = TypeVar("L", RecordLevel, StateLevel, OutcomeLevel)


@dataclass(frozen=True)
class WaivedSubjects:
    """Subjects of one level, name and category whose breaks are all waived, and the rest that
    break.
    """

    level: str
    name: str
    category: str | None
    subjects: int
    at_risk: Decimal
    """The sum at risk in their breaks, of those with an amount."""
    listed: bool = True
    """False for all categories together that results do not list; `category` is null then."""
    unwaived: int = 0
    """Subjects with a break that no waiver took."""
    unwaived_at_risk: Decimal | None = None
    """The sum at risk in their breaks; null where one has no amount."""


def waived_subjects(breaks: DataFrame, listed: Collection[str]) -> list[WaivedSubjects]:
    """By level, name and category, the subjects with breaks, all of which are waived; of outcomes
    also categories without such a subject.

    Those of categories that are not listed are together: results list few, however many there are.
    """
    is_listed = F.col("category").isNull() | F.col("category").isin(*listed)
    subjects = breaks.groupBy("level", "name", "subject").agg(
        F.every(F.col("waiver").isNotNull()).alias("taken"),
        F.max("category").alias("category"),
        F.coalesce(F.try_sum("at_risk"), F.lit(0)).alias("at_risk"),
        F.every(F.col("at_risk").isNotNull()).alias("with_amount"),
    )
    is_waived, is_broken = F.col("taken"), ~F.col("taken")
    rows = (
        subjects.withColumns(
            {"listed": is_listed, "category": F.when(is_listed, F.col("category"))}
        )
        .groupBy("level", "name", "category", "listed")
        .agg(
            F.count_if(is_waived).alias("subjects"),
            F.try_sum(F.when(is_waived, F.col("at_risk"))).alias("at_risk"),
            F.count_if(is_broken).alias("unwaived"),
            F.when(
                F.count_if(is_broken & ~F.col("with_amount")) == 0,
                F.try_sum(F.when(is_broken, F.col("at_risk"))),
            ).alias("unwaived_at_risk"),
        )
        .where((F.col("subjects") > 0) | (F.col("level") == OUTCOME))
        .collect()
    )
    return [
        WaivedSubjects(
            r["level"],
            r["name"],
            r["category"],
            r["subjects"],
            r["at_risk"] or Decimal(0),
            r["listed"],
            r["unwaived"],
            r["unwaived_at_risk"],
        )
        for r in rows
    ]


def without_waived(summary: LevelResults, waived: Sequence[WaivedSubjects]) -> LevelResults:
    """The summary with waived subjects counted as waived and not as compared."""
    return dataclasses.replace(
        summary,
        record=tuple(_without(one, _of(RECORD, one.name, waived)) for one in summary.record),
        state=tuple(_without(one, _of(STATE, one.name, waived)) for one in summary.state),
        outcome=tuple(
            _at_risk_without(_without(one, mine), mine)
            for one in summary.outcome
            for mine in [_of(OUTCOME, one.name, waived)]
        ),
    )


def _of(level: str, name: str, waived: Iterable[WaivedSubjects]) -> list[WaivedSubjects]:
    return [one for one in waived if (one.level, one.name) == (level, name)]


def _without(level: L, waived: Sequence[WaivedSubjects]) -> L:
    number = sum(one.subjects for one in waived)
    return dataclasses.replace(
        level,
        compared=level.compared - number,
        waived=number,
        categories=tuple(_category_without(part, waived) for part in level.categories),
    )


def _category_without(part: Category, waived: Sequence[WaivedSubjects]) -> Category:
    of_category = [one for one in waived if one.listed and one.category == part.category]
    number = sum(one.subjects for one in of_category)
    return dataclasses.replace(
        part,
        compared=part.compared - number,
        broken=part.broken - number,
        at_risk=_reduced(part.at_risk, of_category),
    )


def _at_risk_without(level: OutcomeLevel, waived: Sequence[WaivedSubjects]) -> OutcomeLevel:
    at_risk = _reduced(level.at_risk, waived)
    no_amounts = level.legacy_total is None and level.new_total is None
    if at_risk is None and level.compared == level.matched and not no_amounts:
        at_risk = Decimal(0)
    return dataclasses.replace(level, at_risk=at_risk)


def _reduced(at_risk: Decimal | None, waived: Sequence[WaivedSubjects]) -> Decimal | None:
    """What is at risk without the waived subjects. It may be numbers of the rest alone."""
    if at_risk is not None:
        return at_risk - sum((w.at_risk for w in waived), Decimal(0))
    amounts = [w.unwaived_at_risk for w in waived if w.unwaived]
    numbers = [amount for amount in amounts if amount is not None]
    return sum(numbers, Decimal(0)) if numbers and len(numbers) == len(amounts) else None
