"""Explaining where everything broke, where breaks are of many kinds, and where nothing broke."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from cutline.tables import CLUSTERS
from cutline_reconciliation.explain import clusters, explain
from support.drifted import Drift, drifted, explained_drift


def test_everything_broke(spark: SparkSession, tmp_path: Path) -> None:
    drift = Drift(subjects=3_000, broken=3_000)
    explained = explained_drift(spark, drifted(spark, tmp_path, drift), drift)
    (cluster,) = explained.top_clusters
    assert (cluster.count, cluster.subjects, cluster.matched) == (3_000, 3_000, 0)
    assert cluster.why == "No subject matches that they could be told from."


def test_half_broke(spark: SparkSession, tmp_path: Path) -> None:
    drift = Drift(subjects=3_000, broken=1_500)
    explained = explained_drift(spark, drifted(spark, tmp_path, drift), drift)
    (cluster,) = explained.top_clusters
    assert (cluster.count, cluster.matched) == (1_500, 1_500)
    assert (cluster.cause, cluster.matched_with_cause) == ("old.orders.channel = web", 0)


def test_causes_are_looked_for_in_the_largest_clusters(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (clusters, explain):
        monkeypatch.setattr(module, "MOST_LOOKED_INTO", 5)
    drift = Drift(subjects=400, broken=100, rules=12)
    workspace = drifted(spark, tmp_path, drift)
    explained = explained_drift(spark, workspace, drift)
    rows = workspace.lake.read(spark, CLUSTERS).orderBy("by_count").collect()
    assert len(rows) == 12
    assert sum(explained.counts.values()) == sum(row["count"] for row in rows) == 100
    assert {(row["cause"], row["matched"]) for row in rows[:5]} == {
        ("old.orders.channel = web", 300)
    }
    assert {(row["cause"], row["matched"]) for row in rows[5:]} == {(None, 300)}
    assert {row["why"] for row in rows[5:]} == {
        "No cause was looked for: it is not among the 5 clusters of most breaks."
    }


def test_where_nothing_broke_no_attribute_is_read(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drift = Drift(subjects=10, broken=0)
    workspace = drifted(spark, tmp_path, drift)

    def refuse(*_: object) -> None:
        raise AssertionError("somebody asked for attributes or matches")

    for name in ("attribute_profiles", "matching_subjects", "with_lineage", "find_feeds"):
        monkeypatch.setattr(explain, name, refuse)
    explained = explained_drift(spark, workspace, drift)
    assert (explained.counts, explained.top_clusters) == ({}, ())
