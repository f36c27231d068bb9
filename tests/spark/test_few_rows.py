"""Rows are broadcast where they were counted, and are few."""

from __future__ import annotations

import pytest
from pyspark.sql import DataFrame, SparkSession

from cutline.spark import few_rows


def hinted(rows: DataFrame) -> bool:
    return "ResolvedHint" in rows._jdf.queryExecution().analyzed().toString()


def test_few_are_broadcast_and_many_are_not(spark: SparkSession) -> None:
    rows = spark.range(3)
    assert hinted(few_rows.broadcast_if_few(rows, few_rows.FEW))
    assert not hinted(few_rows.broadcast_if_few(rows, few_rows.FEW + 1))


def test_rows_are_counted(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(few_rows, "FEW", 3)
    few, many = few_rows.counted_few(spark.range(3)), few_rows.counted_few(spark.range(4))
    assert few is not None
    assert many is not None
    assert (hinted(few), hinted(many)) == (True, False)
    assert few_rows.counted_few(spark.range(0)) is None
