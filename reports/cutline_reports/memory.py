"""The change since the previous run, and the waivers, from the result of reconciliation."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.masking import MASK, Masking
from cutline.results.reconcile import HistoryResult, WaiverResult
from cutline.tables.breaks import LEVELS, OUTCOME
from cutline.tables.trend import FIGURES
from cutline_reports.examples import Row
from cutline_reports.memory_model import Change, LevelChange, TrendPoint, WaiverRow

LAST = 12
"""The number of runs in the trend."""


def last_runs(trend: DataFrame, place: int) -> DataFrame:
    """The rows of the last runs up to the one at this place; times as text."""
    last = trend.where(F.col("place") > place - LAST)
    moment = F.date_format("recorded_at", "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX")
    return last.withColumn("recorded_at", moment)


def change(history: HistoryResult, rows: Iterable[Row]) -> Change:
    """The change since the previous run, and the trend by rows of `last_runs`."""
    runs: dict[int, list[Row]] = defaultdict(list)
    for row in rows:
        runs[int(row["place"])].append(row)
    trend = tuple(_point(runs[place]) for place in sorted(runs))
    return Change(
        history.compared_with,
        history.removed_runs,
        tuple(_level(level, asdict(history.levels[level])) for level in LEVELS),
        trend,
    )


def waiver_rows(results: Iterable[WaiverResult], mask: Masking) -> tuple[WaiverRow, ...]:
    """The waivers in the order of their file.

    Values and subjects of a match are masked as those of breaks. Its SQL and its reason are shown
    as the project has them.
    """
    return tuple(_waiver(result, mask) for result in results)


def _point(rows: list[Row]) -> TrendPoint:
    first = rows[0]
    by_level = {row["level"]: row for row in rows}
    return TrendPoint(
        first["run_id"],
        int(first["place"]),
        dt.datetime.fromisoformat(first["recorded_at"]),
        tuple(_level(level, by_level[level]) for level in LEVELS),
    )


def _level(level: str, counts: Mapping[str, int]) -> LevelChange:
    return LevelChange(level, **{name: counts[name] for name in FIGURES})


def _waiver(result: WaiverResult, mask: Masking) -> WaiverRow:
    return WaiverRow(
        name=result.name,
        passed=result.passed,
        sentence=result.sentence,
        expired=result.expired,
        match=_match(result.match, mask),
        reason=result.reason,
        owner=result.owner,
        ticket=result.ticket,
        expires=result.expires.isoformat(),
        taken=result.taken,
        max_breaks=result.max_breaks,
        money=result.money,
        max_money=result.max_money,
        without_amount=result.without_amount,
    )


def _match(match: Mapping[str, Any], mask: Masking) -> dict[str, str]:
    aggregate = None if match.get("level") == OUTCOME else match.get("name")
    column = match.get("column")
    shown = {}
    for key, value in match.items():
        text = ", ".join(value) if isinstance(value, list) else str(value)
        if key.startswith("subject"):
            hidden = mask.hides_subject(aggregate)
        elif key.startswith(("legacy", "new")):
            # A match without a column may be of a personal one.
            hidden = mask.hides(column, aggregate) if column else bool(mask.names or mask.states)
        else:
            hidden = False
        shown[key] = MASK if hidden else text
    return shown
