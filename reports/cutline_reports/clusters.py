"""The clusters of the report, from a run's tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import fields

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.masking import Masking
from cutline.tables.breaks import OUTCOME
from cutline_reports.causes import Cluster, ClusterExample, Clusters
from cutline_reports.examples import Row, break_examples

MOST, DEAREST = 20, 5
"""So many clusters are shown by count, and of the rest so many by money."""


def cluster_tables(clusters: DataFrame, breaks: DataFrame) -> dict[str, DataFrame]:
    """The bounded tables for `clusters_of`: clusters, their totals, examples of each."""
    shown = clusters.where((F.col("by_count") <= MOST) | (F.col("by_money") <= DEAREST))
    mine = breaks.join(F.broadcast(shown.select("cluster")), "cluster", "left_semi")
    totals = clusters.agg(F.count("*").alias("clusters"), F.sum("count").alias("breaks"))
    return {
        "clusters": shown,
        "cluster_totals": totals,
        "cluster_examples": break_examples(mine, ("cluster",), ("source", "table", "key")),
    }


def clusters_of(
    rows: Mapping[str, Iterable[Row]], units: Mapping[str, str], mask: Masking
) -> Clusters:
    """The clusters of the report, from the rows of `cluster_tables`; personal values are masked."""
    examples = defaultdict(list)
    for row in sorted(rows["cluster_examples"], key=lambda r: int(r["place"])):
        examples[row["cluster"]].append(row)
    shown = tuple(
        _cluster(row, examples[row["cluster"]], units, mask)
        for row in sorted(rows["clusters"], key=lambda r: int(r["by_count"]))
    )
    (totals,) = rows["cluster_totals"]
    return Clusters(
        shown,
        totals["clusters"] - len(shown),
        (totals["breaks"] or 0) - sum(one.count for one in shown),
    )


def _cluster(row: Row, examples: Iterable[Row], units: Mapping[str, str], mask: Masking) -> Cluster:
    outcome = row["level"] == OUTCOME
    aggregate, column = None if outcome else row["name"], row["column"]
    return Cluster(
        id=row["cluster"],
        unit=units.get(row["name"], "") if outcome else "",
        examples=tuple(_example(e, aggregate, column, mask) for e in examples),
        fed_by=tuple(row["fed_by"] or ()),
        **{name: row[name] for name in _AS_WRITTEN},
    )


_COMPUTED = ("id", "unit", "examples", "fed_by")
_AS_WRITTEN = tuple(f.name for f in fields(Cluster) if f.name not in _COMPUTED)
"""The columns of `clusters` that are shown as they are, for they hold nothing personal."""


def _example(row: Row, aggregate: str | None, column: str | None, mask: Masking) -> ClusterExample:
    return ClusterExample(
        subject=mask.subject(aggregate, row["subject"]) or "",
        legacy=mask.value(column, row["legacy"], aggregate),
        new=mask.value(column, row["new"], aggregate),
        amount=None if mask.hides(column, aggregate) else row["amount"],
        source=row["source"],
        table=row["table"],
        key=mask.key(row["source"], row["table"], row["key"]),
    )
