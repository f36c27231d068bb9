"""What a transaction means is what its commit left, whatever its rows and files are."""

from __future__ import annotations

from pyspark.sql import SparkSession

from support.model.commits_trial import differing, expected


def test_a_parcel_that_is_never_without_its_hold_is_never_released() -> None:
    stored = [("parcel", "c", None, "a"), ("hold", "c", None, "customs")]
    assert set(expected([stored], 0)) == {(0, 1, "Stored"), (0, 1, "Held")}


def test_the_engine_announces_what_each_commit_left(spark: SparkSession) -> None:
    assert differing(spark) == set()
