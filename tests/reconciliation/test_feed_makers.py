"""Of the clusters that feed another one, those with the most breaks are named; all are counted."""

from __future__ import annotations

from decimal import Decimal

import pytest
from pyspark.sql import SparkSession

from cutline_reconciliation.explain.feeding import count_feeds

SCHEMA = (
    "grouped string, label string, by_level string, by_name string, by_kind string,"
    " by_column string, way string, by_cluster string, by_rule string, causes bigint,"
    " amount decimal(38,6)"
)


def test_the_rest_is_one_row(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(count_feeds, "MOST_MAKERS", 2)
    of_a = ("outcome/open", "A", "state", "stock", "different", "reserved", "looks-at")
    of_b = ("outcome/open", "B", *of_a[2:])
    rows = [
        (*of_a, "c1", "r1", 5, Decimal(1)),
        (*of_a, "c2", "r2", 9, None),
        (*of_a, "c3", "r1", 2, Decimal(3)),
        (*of_a, "c4", "r4", 1, Decimal(4)),
        (*of_b, "c3", "r1", 2, None),
    ]
    named = count_feeds.first_makers(spark.createDataFrame(rows, SCHEMA)).collect()
    assert {
        (r["label"], r["by_cluster"], r["by_rule"], r["causes"], r["amount"]) for r in named
    } == {
        ("A", "c2", "r2", 9, None),
        ("A", "c1", "r1", 5, 1),
        ("A", None, None, 3, 7),
        ("B", "c3", "r1", 2, None),
    }
