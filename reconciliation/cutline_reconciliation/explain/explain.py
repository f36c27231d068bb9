"""Explaining breaks: the row behind each and its cluster; `clusters` and `links` are written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from pyspark.sql import DataFrame, Observation
from pyspark.sql import functions as F

from cutline.lake.written import TableWritten
from cutline.masking import masking
from cutline.spark.no_rows import no_rows
from cutline.stages.books import balance
from cutline.tables import BREAKS, CLUSTERS, LINKS
from cutline.workspace import Workspace
from cutline_reconciliation.explain.attributes import with_attributes
from cutline_reconciliation.explain.clusters import (
    collected,
    group_column,
    judged,
    with_cluster,
)
from cutline_reconciliation.explain.counting import GROUP, LABEL, MATCHED, likely
from cutline_reconciliation.explain.feeding import fed
from cutline_reconciliation.explain.lineage import with_lineage
from cutline_reconciliation.explain.matches import matching
from cutline_reconciliation.explain.patterns import shaped, with_patterns

TOLD = 50
"""So many clusters are told in the stage's facts; the table has all."""


@dataclass(frozen=True)
class Explained:
    """What explains the breaks of a run."""

    breaks: DataFrame
    """The breaks with lineage and cluster, in the columns of BREAKS."""
    tables: Sequence[TableWritten]
    """The tables `clusters` and `links`."""
    counts: Mapping[str, int]
    """Breaks by cluster."""
    told: Sequence[Mapping[str, Any]]
    """The first clusters as JSON, at most TOLD."""


def explain(
    workspace: Workspace, found: DataFrame, differing: DataFrame | None, exceptions: DataFrame
) -> Explained:
    """Give breaks their lineage and cluster, and write `clusters` and `links`.

    `found` is read once; `differing` has the aggregate (`name`), the `subject` and the `class` of
    everything that is not the same on both sides, None where nothing was compared; `exceptions`
    are those of history.
    """
    lake, spark = workspace.lake, workspace.spark
    number = Observation()
    counted = found.observe(number, F.count("*").alias("rows"))
    breaks = _once(workspace, "found", counted)
    if not number.get["rows"]:
        none = [lake.write(no_rows(spark, one.ddl), one).table for one in (CLUSTERS, LINKS)]
        return Explained(breaks, none, {}, ())
    hidden = masking([workspace.translation])
    shapes = _once(workspace, "shaped", shaped(with_lineage(breaks, workspace)))
    named = _once(workspace, "named", with_cluster(with_patterns(shapes, hidden)))
    clusters = collected(named, hidden)
    balance("breaks in clusters", number.get["rows"], sum(row["count"] for row in clusters))
    members = _once(workspace, "members", _members(workspace, named, clusters, differing))
    known = likely(members)
    feeding = fed(
        workspace, clusters, named, exceptions, members, known, hidden, partial(_once, workspace)
    )
    versions = {one.name(): one.major() for one in workspace.translation.translators}
    rows = judged(clusters, known, feeding.feeds, versions)
    ordered = [tuple(row[name] for name in CLUSTERS.names) for row in rows]
    written = lake.write(spark.createDataFrame(ordered, CLUSTERS.ddl), CLUSTERS)
    links = lake.write(feeding.links, LINKS)
    return Explained(
        named.select(*BREAKS.names),
        (written.table, links.table),
        {row["cluster"]: row["count"] for row in rows},
        tuple(_fact(row) for row in rows[:TOLD]),
    )


def _members(
    workspace: Workspace,
    named: DataFrame,
    clusters: Sequence[Mapping[str, Any]],
    differing: DataFrame | None,
) -> DataFrame:
    """The subjects of each cluster and those that match, with what is known of them."""
    groups = sorted({(row["level"], row["name"]) for row in clusters})
    label = F.col("cluster").alias(LABEL)
    broken = named.select("level", "name", label, "aggregate", "subject").distinct()
    alike = matching(workspace, groups, differing).withColumn(LABEL, F.lit(MATCHED))
    every = broken.unionByName(alike).select(
        group_column().alias(GROUP), LABEL, "aggregate", "subject"
    )
    return with_attributes(every, workspace)


def _once(workspace: Workspace, name: str, frame: DataFrame) -> DataFrame:
    """The frame, computed once and read from the stage's scratch."""
    place = workspace.lake.scratch(f"explain/{name}")
    frame.write.mode("overwrite").parquet(place)
    return workspace.spark.read.schema(frame.schema).parquet(place)


def _fact(row: Mapping[str, Any]) -> dict[str, Any]:
    """A cluster as JSON: numbers with a point are texts."""
    numbers = {"amount", "money", "risk_ratio", "fed_amount"}
    return {
        name: f"{row[name]:f}" if name in numbers and row[name] is not None else row[name]
        for name in CLUSTERS.names
    }
