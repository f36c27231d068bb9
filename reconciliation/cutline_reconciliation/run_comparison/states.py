"""The states of an aggregate in two runs, by subject and column."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F

from cutline.context.state import HISTORY_COLUMNS
from cutline.masking import Masking
from cutline_reconciliation.compare import Rules, compare
from cutline_reconciliation.compare.columns.texts import with_texts
from cutline_reconciliation.run_comparison.clusters import ClusterList, clusters_of, run_part
from cutline_reconciliation.run_comparison.details import change_of, value_change
from cutline_reconciliation.run_comparison.model import (
    CHANGED,
    RowExample,
    RunPart,
    ValueChange,
)


def compare_states(
    aggregate: str, left: DataFrame, right: DataFrame, mask: Masking, scratch: Path
) -> RunPart:
    """The states of two runs, matched by subject; a cluster of changed ones is of one column.

    A column that has another type is compared as text, one that only one run has is listed. Events
    are compared themselves, so columns that count them are not. `scratch` is a folder for the
    details, which is the caller's to remove.
    """
    types = dict(left.dtypes), dict(right.dtypes)
    unlike = {name for name, kind in types[0].items() if types[1].get(name, kind) != kind}
    counts = compare(
        *with_texts(left, right, unlike, {}),
        ("subject",),
        Rules(ignore=tuple(n for n in HISTORY_COLUMNS if n in types[0] or n in types[1])),
        details_at=str(scratch),
    )
    details = counts.details
    clusters = ClusterList()
    if details is not None:
        clusters = clusters_of(_rows(details, aggregate), _StateExamples(mask))
    return run_part("states", aggregate, counts, clusters)


def _rows(details: DataFrame, aggregate: str) -> DataFrame:
    """Details as rows of clusters: one per column that differs, one per subject of one run only."""
    is_changed = F.col("class") == CHANGED
    exploded = details.select(
        "class",
        F.col("key.subject").alias("subject"),
        F.explode_outer(F.when(is_changed, F.col("differences"))).alias("d"),
    )
    pair = value_change(F.col("d.column"), F.col("d.left"), F.col("d.right"))
    nothing = F.array().cast("array<struct<name:string,left:string,right:string>>")
    return exploded.select(
        F.coalesce("d.column", F.lit("")).alias("name"),
        change_of().alias("change"),
        F.array().cast("array<string>").alias("differing"),
        F.lit(aggregate).alias("aggregate"),
        "subject",
        F.when(F.col("d").isNotNull(), F.array(pair)).otherwise(nothing).alias("values"),
    )


class _StateExamples:
    """Makes examples of states, with personal columns and subjects masked."""

    def __init__(self, mask: Masking) -> None:
        self._mask = mask

    def __call__(self, row: Row) -> RowExample:
        aggregate = row["aggregate"]
        return RowExample(
            self._mask.subject(aggregate, row["subject"]),
            tuple(
                ValueChange(
                    value["name"],
                    self._mask.value(value["name"], value["left"], aggregate),
                    self._mask.value(value["name"], value["right"], aggregate),
                )
                for value in row["values"]
            ),
        )
