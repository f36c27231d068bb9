"""The change since the run before and the waivers, read back from what reconciliation recorded."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.masking import MASK, Masking
from cutline.tables.breaks import LEVELS, OUTCOME
from cutline.tables.trend import FIGURES
from cutline_reports.examples import Row
from cutline_reports.memory_model import Change, LevelChange, TrendPoint, WaiverRow

Facts = Mapping[str, Any]

LAST = 12
"""How many runs the trend shows."""


def last_runs(trend: DataFrame, place: int) -> DataFrame:
    """The rows of the last runs up to the one at this place; moments as text."""
    last = trend.where(F.col("place") > place - LAST)
    moment = F.date_format("recorded_at", "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX")
    return last.withColumn("recorded_at", moment)


def change(facts: Facts, rows: Iterable[Row]) -> Change:
    """The change by the stage's facts, and the trend by rows of `last_runs`."""
    runs: dict[int, list[Row]] = defaultdict(list)
    for row in rows:
        runs[int(row["place"])].append(row)
    trend = tuple(_point(runs[place]) for place in sorted(runs))
    told = facts["levels"]
    return Change(
        facts["compared_with"],
        tuple(facts["gone"]),
        tuple(_level(level, told[level]) for level in LEVELS),
        trend,
    )


def waivers(facts: Iterable[Facts], mask: Masking) -> tuple[WaiverRow, ...]:
    """The waivers in the order of their file; the values and subjects of a match are masked as
    those of breaks are. Its SQL, like its reason, stands as the project wrote it."""
    return tuple(_waiver(one, mask) for one in facts)


def _point(rows: list[Row]) -> TrendPoint:
    first = rows[0]
    by_level = {row["level"]: row for row in rows}
    return TrendPoint(
        first["run_id"],
        int(first["place"]),
        dt.datetime.fromisoformat(first["recorded_at"]),
        tuple(_level(level, by_level[level]) for level in LEVELS),
    )


def _level(level: str, counts: Facts) -> LevelChange:
    return LevelChange(level, **{name: int(counts[name]) for name in FIGURES})


def _waiver(fact: Facts, mask: Masking) -> WaiverRow:
    return WaiverRow(
        name=fact["name"],
        passed=fact["passed"],
        sentence=fact["sentence"],
        expired=fact["expired"],
        match=_match(fact["match"], mask),
        reason=fact["reason"],
        owner=fact["owner"],
        ticket=fact["ticket"],
        expires=fact["expires"],
        taken=fact["taken"],
        max_breaks=fact["max_breaks"],
        money=Decimal(fact["money"]),
        max_money=Decimal(fact["max_money"]),
        without_amount=fact["without_amount"],
    )


def _match(match: Facts, mask: Masking) -> dict[str, str]:
    aggregate = None if match.get("level") == OUTCOME else match.get("name")
    column = match.get("column")
    told = {}
    for key, value in match.items():
        text = ", ".join(value) if isinstance(value, list) else str(value)
        if key.startswith("subject"):
            hidden = mask.hides_subject(aggregate)
        elif key.startswith(("legacy", "new")):
            # Without a column it may be any, a personal one too.
            hidden = mask.hides(column, aggregate) if column else bool(mask.names or mask.states)
        else:
            hidden = False
        told[key] = MASK if hidden else text
    return told
