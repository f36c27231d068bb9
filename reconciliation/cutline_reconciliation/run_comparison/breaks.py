"""The breaks of two runs: opened, fixed and persisting."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from pyspark.sql import Column, DataFrame, Row
from pyspark.sql import functions as F

from cutline.masking import Masking
from cutline.tables.breaks import OUTCOME
from cutline_reconciliation.compare import classes, compare
from cutline_reconciliation.run_comparison.clusters import (
    CLUSTER,
    ClusterList,
    clusters_of,
    run_part,
)
from cutline_reconciliation.run_comparison.details import change_of, value_change
from cutline_reconciliation.run_comparison.model import (
    DUPLICATED,
    FIXED,
    OPENED,
    OTHER_VALUES,
    PERSISTING,
    RowCluster,
    RowExample,
    RunPart,
    ValueChange,
)

_COMPARED = ("level", "name", "kind", "column", "aggregate", "subject", "legacy", "new")
_CHANGES = {
    classes.ONLY_LEFT: FIXED,
    classes.ONLY_RIGHT: OPENED,
    classes.CHANGED: OTHER_VALUES,
    classes.DUPLICATED: DUPLICATED,
}


def compare_breaks(left: DataFrame, right: DataFrame, mask: Masking, scratch: Path) -> RunPart:
    """The breaks of two runs, matched by their ids, which are the same in every run.

    A break persists with other values where the legacy's or the new side's value moved. The runs
    need not follow each other. `scratch` is a folder for the details, which is the caller's to
    remove.
    """
    sides = [frame.select("id", *(F.col(f"`{c}`") for c in _COMPARED)) for frame in (left, right)]
    counts = compare(sides[0], sides[1], ("id",), details_at=str(scratch))
    details = counts.details
    clusters = ClusterList()
    rows = None if details is None else _rows(details)
    if rows is not None:
        clusters = clusters_of(rows, _BreakExamples(mask))
    return run_part("breaks", "", counts, clusters, _persisting(sides[0], rows))


def _cluster(of: Column | None = None) -> list[Column]:
    """Name and differing parts of a break's cluster; of a struct, or of the row itself."""
    level, name, column, kind = (
        (F.col(f"`{n}`") if of is None else of[n]) for n in ("level", "name", "column", "kind")
    )
    parts = F.array_compact(F.array(F.when(level != OUTCOME, column), kind))
    return [F.concat_ws(" ", level, name).alias("name"), parts.alias("differing")]


def _rows(details: DataFrame) -> DataFrame:
    row = F.coalesce("left", "right")
    values = F.array(
        *(
            value_change(F.lit(name), F.col(f"left.{name}"), F.col(f"right.{name}"))
            for name in ("legacy", "new")
        )
    )
    name, differing = _cluster(row)
    return details.select(
        name,
        change_of(_CHANGES).alias("change"),
        differing,
        F.when(row["level"] != OUTCOME, row["aggregate"]).alias("aggregate"),
        row["subject"].alias("subject"),
        row["column"].alias("column"),
        values.alias("values"),
    )


def _persisting(left: DataFrame, rows: DataFrame | None) -> list[RowCluster]:
    """The clusters of breaks that both runs have with the same values, the largest first.

    Levels, names, columns and kinds are declared, so there are as few clusters as of these.
    """
    counted = left.groupBy(*_cluster()).agg(F.count(F.lit(1)).alias("count"))
    remaining = Counter({_key(row): row["count"] for row in counted.collect()})
    if rows is not None:
        not_alike = rows.where(F.col("change").isin(FIXED, OTHER_VALUES))
        lost = not_alike.groupBy(*CLUSTER).agg(F.count(F.lit(1)).alias("count"))
        for row in lost.collect():
            remaining[_key(row)] -= row["count"]
    return [
        RowCluster(PERSISTING, name, differing, count, ())
        for (name, differing), count in sorted(remaining.items(), key=lambda i: (-i[1], i[0]))
        if count
    ]


def _key(row: Row) -> tuple[str, tuple[str, ...]]:
    return row["name"], tuple(row["differing"])


class _BreakExamples:
    """Makes examples of breaks, with personal values and subjects masked."""

    def __init__(self, mask: Masking) -> None:
        self._mask = mask

    def __call__(self, row: Row) -> RowExample:
        aggregate, column = row["aggregate"], row["column"]
        return RowExample(
            self._mask.subject(aggregate, row["subject"]),
            tuple(
                ValueChange(
                    value["name"],
                    self._mask.value(column, value["left"], aggregate),
                    self._mask.value(column, value["right"], aggregate),
                )
                for value in row["values"]
            ),
        )
