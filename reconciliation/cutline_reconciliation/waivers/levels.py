"""The levels without what waivers took: gates do not count it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TypeVar

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.tables.breaks import OUTCOME, RECORD, STATE
from cutline_reconciliation.results import OutcomeLevel, RecordLevel, StateLevel, Summary

Waived = Mapping[tuple[str, str], int]
L = TypeVar("L", RecordLevel, StateLevel, OutcomeLevel)


def waived_subjects(breaks: DataFrame) -> Waived:
    """By level and name, how many subjects have breaks there and all of them waived."""
    taken = F.every(F.col("waiver").isNotNull()).alias("taken")
    subjects = breaks.groupBy("level", "name", "subject").agg(taken).where("taken")
    rows = subjects.groupBy("level", "name").count().collect()
    return {(r["level"], r["name"]): r["count"] for r in rows}


def without_waived(summary: Summary, waived: Waived) -> Summary:
    """The summary, with waived subjects told as such and no longer among the compared ones."""
    return dataclasses.replace(
        summary,
        record=_less(RECORD, summary.record, waived),
        state=_less(STATE, summary.state, waived),
        outcome=_less(OUTCOME, summary.outcome, waived),
    )


def _less(level: str, found: Sequence[L], waived: Waived) -> tuple[L, ...]:
    return tuple(
        dataclasses.replace(one, compared=one.compared - taken, waived=taken)
        for one in found
        for taken in [waived.get((level, one.name), 0)]
    )
