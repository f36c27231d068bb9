"""Clusters of differing rows: exact counts, and a few examples of the largest."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame, Row, Window
from pyspark.sql import functions as F

from cutline_reconciliation.compare.result import Comparison
from cutline_reconciliation.run_comparison.model import RowCluster, RowExample, RunPart

MOST, MOST_EXAMPLES = 40, 3
LONGEST = 20_000
"""Characters of a value that is shown; longer ones are null."""
CLUSTER = ("name", "change", "differing")
ROWS = (
    "name string, change string, differing array<string>, aggregate string, subject string, "
    "values array<struct<name:string,left:string,right:string>>"
)
"""The columns of differing rows: their cluster, and what an example of it shows."""

Shown = Callable[[Row], RowExample]
"""Makes an example of a row, with personal values masked."""


@dataclass(frozen=True)
class ClusterList:
    """The largest clusters, the number of the others, and the sum of their counts."""

    clusters: tuple[RowCluster, ...] = ()
    more: int = 0
    count_in_more: int = 0


def run_part(
    kind: str,
    name: str,
    counts: Comparison,
    clusters: ClusterList,
    persisting: Sequence[RowCluster] = (),
) -> RunPart:
    """A kind of rows of two runs by what their comparison counted, and its clusters."""
    return RunPart(
        kind=kind,
        name=name,
        rows_left=counts.rows_left,
        rows_right=counts.rows_right,
        alike=counts.matched,
        changed=counts.changed,
        removed=counts.only_left,
        added=counts.only_right,
        clusters=(*clusters.clusters, *persisting),
        more_clusters=clusters.more,
        count_in_more=clusters.count_in_more,
        columns_only_left=counts.columns_only_left,
        columns_only_right=counts.columns_only_right,
    )


def clusters_of(rows: DataFrame, shown: Shown) -> ClusterList:
    """The clusters of differing rows, which have the columns of ROWS.

    Of the MOST largest by count, then by name, there are MOST_EXAMPLES examples, the first by
    subject. Ties are broken by values, so the same rows give the same clusters.
    """
    every = Window.partitionBy(F.lit(0))
    counted = rows.groupBy(*CLUSTER).agg(F.count(F.lit(1)).alias("count"))
    with_sums = counted.withColumns(
        {"clusters": F.count(F.lit(1)).over(every), "rows": F.sum("count").over(every)}
    )
    largest = with_sums.orderBy(F.desc("count"), *CLUSTER).limit(MOST).collect()
    if not largest:
        return ClusterList()
    examples = _examples(rows, largest)
    clusters = tuple(
        _change(row, map(shown, examples[_cluster(row)]), row["count"]) for row in largest
    )
    return ClusterList(
        clusters,
        largest[0]["clusters"] - len(clusters),
        largest[0]["rows"] - sum(cluster.count for cluster in clusters),
    )


def _examples(rows: DataFrame, largest: Sequence[Row]) -> Mapping[tuple[object, ...], list[Row]]:
    """The first rows of each of these clusters."""
    few = rows.sparkSession.createDataFrame(
        [tuple(row[name] for name in CLUSTER) for row in largest], rows.select(*CLUSTER).schema
    )
    of_those = rows.join(F.broadcast(few), list(CLUSTER), "left_semi")
    order = Window.partitionBy(*CLUSTER).orderBy("subject", F.col("values").cast("string"))
    ranked = of_those.withColumn("place", F.row_number().over(order))
    examples: dict[tuple[object, ...], list[Row]] = defaultdict(list)
    first = ranked.where(F.col("place") <= MOST_EXAMPLES).collect()
    for row in sorted(first, key=lambda r: int(r["place"])):
        examples[_cluster(row)].append(row)
    return examples


def _cluster(row: Row) -> tuple[object, ...]:
    return (row["name"], row["change"], tuple(row["differing"]))


def _change(row: Row, examples: Iterable[RowExample], count: int) -> RowCluster:
    return RowCluster(
        change=row["change"],
        name=row["name"],
        differing=tuple(row["differing"]),
        count=count,
        examples=tuple(examples),
    )
