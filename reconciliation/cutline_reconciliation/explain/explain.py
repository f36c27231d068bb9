"""The explanation of breaks: lineage and cluster of each; `clusters` and `links` are written."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from pyspark.sql import DataFrame, Observation
from pyspark.sql import functions as F

from cutline.lake.written import TableWritten
from cutline.masking import masking
from cutline.results.reconcile import ClusterResult
from cutline.spark.no_rows import no_rows
from cutline.spark.written_aside import written_aside
from cutline.stages.books import check_balance
from cutline.tables import BREAKS, CLUSTERS, LINKS
from cutline.workspace import Workspace
from cutline_reconciliation.explain.attributes import (
    LABEL,
    MATCHED_LABEL,
    attribute_profiles,
)
from cutline_reconciliation.explain.clusters import (
    MOST_LOOKED_INTO,
    by_count,
    cluster_rows,
    collect_clusters,
    with_cluster,
)
from cutline_reconciliation.explain.feeding import find_feeds
from cutline_reconciliation.explain.groups import GROUP, group_column
from cutline_reconciliation.explain.likely_causes import likely_causes
from cutline_reconciliation.explain.lineage import with_lineage
from cutline_reconciliation.explain.matches import matching_subjects
from cutline_reconciliation.explain.patterns import with_patterns, with_shapes

MOST_TOP_CLUSTERS = 50
"""The number of clusters in the stage's result; the table has all."""


@dataclass(frozen=True)
class ExplainedBreaks:
    """The breaks of a run with their explanations."""

    breaks: DataFrame
    """The breaks with lineage and cluster, in the columns of BREAKS."""
    tables: Sequence[TableWritten]
    """The written tables `clusters` and `links`."""
    counts: Mapping[str, int]
    """Breaks by cluster."""
    top_clusters: tuple[ClusterResult, ...]
    """The first clusters by count, at most MOST_TOP_CLUSTERS."""


def explain(
    workspace: Workspace,
    breaks_found: DataFrame,
    differing: DataFrame | None,
    exceptions: DataFrame,
) -> ExplainedBreaks:
    """Give breaks their lineage and cluster, and write `clusters` and `links`.

    `breaks_found` is read once. `differing` has the aggregate (`name`), the `subject` and the
    `class` of every subject that is not a match; None where nothing was compared. `exceptions` are
    those of history.
    """
    lake, spark = workspace.lake, workspace.spark
    number = Observation()
    observed = breaks_found.observe(number, F.count("*").alias("rows"))
    breaks = _materialized(workspace, "found", observed)
    if not number.get["rows"]:
        none = [lake.write(no_rows(spark, one.ddl), one).table for one in (CLUSTERS, LINKS)]
        return ExplainedBreaks(breaks, none, {}, ())
    hidden = masking([workspace.translation])
    shapes = _materialized(workspace, "shaped", with_shapes(with_lineage(breaks, workspace)))
    clustered = _materialized(workspace, "named", with_cluster(with_patterns(shapes, hidden)))
    clusters = by_count(collect_clusters(clustered, hidden))
    check_balance("breaks in clusters", number.get["rows"], sum(row["count"] for row in clusters))
    groups = sorted({(row["level"], row["name"]) for row in clusters})
    members = _materialized(workspace, "members", _members(workspace, clustered, groups, differing))
    looked_into = None
    if len(clusters) > MOST_LOOKED_INTO:
        looked_into = [row["cluster"] for row in clusters[:MOST_LOOKED_INTO]]
    profiles, places = attribute_profiles(workspace, members, groups, looked_into)
    attribute_causes = likely_causes(
        _materialized(workspace, "profiles", profiles), places.attributes
    )
    feeding = find_feeds(
        workspace,
        clusters,
        clustered,
        exceptions,
        members,
        attribute_causes,
        looked_into,
        hidden,
        partial(_materialized, workspace),
    )
    versions = {one.name(): one.major() for one in workspace.translation.translators}
    rows = cluster_rows(clusters, attribute_causes, feeding.feeds, versions)
    ordered = [tuple(row[name] for name in CLUSTERS.names) for row in rows]
    written = lake.write(spark.createDataFrame(ordered, CLUSTERS.ddl), CLUSTERS)
    links = lake.write(feeding.links, LINKS)
    return ExplainedBreaks(
        clustered.select(*BREAKS.names),
        (written.table, links.table),
        {row["cluster"]: row["count"] for row in rows},
        tuple(_result(row) for row in rows[:MOST_TOP_CLUSTERS]),
    )


def _members(
    workspace: Workspace,
    named: DataFrame,
    groups: Collection[tuple[str, str]],
    differing: DataFrame | None,
) -> DataFrame:
    """The subjects of each cluster, and the matches of its group."""
    label = F.col("cluster").alias(LABEL)
    broken = named.select("level", "name", label, "aggregate", "subject").distinct()
    alike = matching_subjects(workspace, groups, differing).withColumn(LABEL, F.lit(MATCHED_LABEL))
    return broken.unionByName(alike).select(
        group_column().alias(GROUP), LABEL, "aggregate", "subject"
    )


def _materialized(workspace: Workspace, name: str, frame: DataFrame) -> DataFrame:
    """The frame, written to the stage's scratch and read from there."""
    return written_aside(frame, workspace.lake.scratch(f"explain/{name}"))


def _result(row: Mapping[str, Any]) -> ClusterResult:
    return ClusterResult(**{name: row[name] for name in CLUSTERS.names})
