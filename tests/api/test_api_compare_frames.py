"""DataFrames are compared by the options that apply to them; no other one is ignored in silence."""

from __future__ import annotations

from typing import Any

import pytest
from pyspark.sql import SparkSession

import cutline
from cutline.errors import ConfigurationError
from cutline_reconciliation.compare import Rules


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ({"left_query": "select 1"}, "left_query does"),
        ({"right_query": "select 1", "delimiter": ";"}, "right_query, delimiter do"),
        ({"encoding": "utf-16", "memory": "4g"}, "encoding, memory do"),
    ],
)
def test_an_option_of_reading_is_refused(
    spark: SparkSession, options: dict[str, Any], names: str
) -> None:
    frame = spark.range(2)
    with pytest.raises(ConfigurationError, match=f"{names} not apply"):
        cutline.compare(frame, frame, key=["id"], **options)


def test_columns_are_compared_as_texts(spark: SparkSession) -> None:
    left = spark.createDataFrame([(1, 10, 2.5), (2, 7, 1.0)], "id int, total int, rate double")
    right = spark.createDataFrame(
        [("1", "10", 2.5), ("2", "007", 1.0)], "id string, amount string, rate double"
    )
    rules = Rules(rename={"total": "amount"})
    with pytest.raises(ConfigurationError) as refused:
        cutline.compare(
            left, right.selectExpr("int(id) id", "amount", "rate"), key=["id"], rules=rules
        )
    assert "--as-text total" in refused.value.next_step
    comparison = cutline.compare(left, right, key=["id"], rules=rules, as_text=["id", "total"])
    assert (comparison.counts.matched, comparison.counts.changed) == (1, 1)
    assert comparison.document["left"]["types"]["total"] == "int"
    assert comparison.document["left"]["read_as"]["total"] == "string"
    every = cutline.compare(left, right, key=["id"], rules=rules, as_text="*")
    assert (every.counts.matched, every.counts.changed) == (1, 1)


def test_a_column_that_is_not_there_is_not_a_text(spark: SparkSession) -> None:
    frame = spark.createDataFrame([(1, 10)], "id int, total int")
    with pytest.raises(ConfigurationError, match=r"as_text totl: .*Did you mean 'total'"):
        cutline.compare(frame, frame, key=["id"], as_text=["totl"])


def test_frames_of_two_sessions_are_refused(spark: SparkSession) -> None:
    """What the one says of times and numbers may not be what the other says."""
    second_session = spark.newSession()
    with pytest.raises(ConfigurationError, match="of two Spark sessions"):
        cutline.compare(spark.range(2), second_session.range(2), key=["id"])
    assert cutline.compare(second_session.range(2), second_session.range(2), key=["id"]).equal
