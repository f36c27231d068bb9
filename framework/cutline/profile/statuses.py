"""Columns that may say what a row means, each value seen beside the times of its rows."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.profile.cells import VALUE, unpivot
from cutline.profile.model import ColumnProfile, Statuses, StatusValue, TimesSet
from cutline.sql.spark import quoted

MOST_VALUES = 20
_MOST_NUMBERS = 12
_LONGEST = 40
_LIKELY_NAME = re.compile(
    r"stat(?:us|e|o|ut)?(?:$|[^a-z])|zustand|phase|stage|situa|lifecycle", re.I
)


def may_classify(column: ColumnProfile, rows: int) -> bool:
    """Whether a column has few enough values, each often enough, to divide rows into kinds."""
    if (
        column.hidden
        or column.is_time
        or not column.whole
        or not 1 < column.distinct <= MOST_VALUES
    ):
        return False
    if 2 * column.distinct > rows - column.nulls or (column.longest or 0) > _LONGEST:
        return False
    if column.type == "bigint" or column.type.endswith("int"):
        return column.distinct <= _MOST_NUMBERS and _is_code(column)
    return column.type in ("string", "boolean")


def statuses(
    frame: DataFrame, classifying: Sequence[ColumnProfile], times: Sequence[ColumnProfile]
) -> tuple[Statuses, ...]:
    """Each value of these columns with the times that its rows have; the likeliest column first."""
    if not classifying:
        return ()
    beside = {f"time{i}": t for i, t in enumerate(times)}
    with_times = frame.selectExpr(
        "*", *(f"CAST({quoted(t.name)} AS string) AS {n}" for n, t in beside.items())
    )
    rows = unpivot(with_times, [c.name for c in classifying], list(beside))
    counted = rows.groupBy("cell", VALUE).agg(
        F.count("*").alias("n"),
        *(F.expr(sql).alias(alias) for n in beside for alias, sql in _aggregates(n).items()),
    )
    values: dict[int, list[StatusValue]] = {i: [] for i in range(len(classifying))}
    for row in counted.orderBy("cell", F.col("n").desc(), VALUE).collect():
        observed = tuple(
            TimesSet(t.name, row[f"{n}_n"], row[f"{n}_low"], row[f"{n}_high"])
            for n, t in beside.items()
        )
        values[row["cell"]].append(StatusValue(row[VALUE], row["n"], observed))
    messages = [
        Statuses(column.name, _contrast(values[i]), tuple(values[i]))
        for i, column in enumerate(classifying)
    ]
    return tuple(sorted(messages, key=_unlikeliness))


def likely_status(candidates: Sequence[Statuses]) -> Statuses | None:
    """The column that most probably is the status; null where none is called so or tells times."""
    return next((s for s in candidates if s.contrast > 0 or _LIKELY_NAME.search(s.column)), None)


def _aggregates(time: str) -> dict[str, str]:
    at = f"try_cast({time} AS timestamp)"
    return {
        f"{time}_n": f"count({time})",
        f"{time}_low": f"min_by({time}, {at})",
        f"{time}_high": f"max_by({time}, {at})",
    }


def _is_code(column: ColumnProfile) -> bool:
    return (
        column.low is not None
        and column.high is not None
        and (int(column.low) >= 0 and int(column.high) <= 999)
    )


def _contrast(values: Sequence[StatusValue]) -> float:
    shares = [[t.rows / v.rows for t in v.times] for v in values]
    spread = [max(column) - min(column) for column in zip(*shares, strict=True)]
    return round(float(sum(spread)), 3)


def _unlikeliness(statuses: Statuses) -> tuple[bool, float]:
    return _LIKELY_NAME.search(statuses.column) is None, -statuses.contrast
