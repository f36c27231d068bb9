"""Which rows of a chunk are stale: Spark's answer against the model's, and literal keys."""

from __future__ import annotations

import datetime as dt
import json

from pyspark.sql import SparkSession

from cutline.cut import TransactionVisibility
from cutline.cut.window import current_rows
from cutline.positions import PgSnapshot
from support.model.judge.cases import Case
from support.model.random_steps import random_steps
from support.model.window_trial import left, left_by_model


def test_the_rows_that_are_left_are_those_of_the_model(spark: SparkSession) -> None:
    cases = [Case(random_steps(seed), seed=seed) for seed in range(400)]
    expected = left_by_model(cases)
    assert left(spark, cases) == expected
    assert sum(len(case.history.visible) for case in cases) - len(expected) > 100


def test_keys_are_values_of_a_type_and_not_texts(spark: SparkSession) -> None:
    """5.0 is 5.00, and ("a", "b,c") is not ("a,b", "c")."""
    ddl = "key string, old_key string, op string, transaction string"
    changes = spark.createDataFrame(
        [
            (json.dumps(["5.0", "x"]), None, "u", "9"),
            (json.dumps(["7", "a,b"]), json.dumps(["6", "a"]), "u", "9"),
            (json.dumps(["8", "seen"]), None, "u", "1"),
            (json.dumps(["9", "untold"]), None, "u", None),
            (json.dumps(["8", "seen"]), None, "r", None),
        ],
        ddl,
    )
    rows = "(5.00, 'x'), (6.00, 'a'), (7.00, 'a'), (7.00, 'a,b'), (8.00, 'seen'), (9.00, 'untold')"
    chunk = spark.sql(f"SELECT * FROM VALUES {rows} AS t(no, sku)")
    left = current_rows(chunk, changes, TransactionVisibility(PgSnapshot(5, 5)), ["no", "sku"])
    assert sorted(row["sku"] for row in left.collect()) == ["a", "seen"]


def test_a_key_is_compared_as_a_moment_too(spark: SparkSession) -> None:
    moment = dt.datetime(2026, 11, 1, 6, tzinfo=dt.UTC)
    changes = spark.createDataFrame(
        [(json.dumps(["2026-11-01T06:00:00.000000Z"]), None, "d", "9")],
        "key string, old_key string, op string, transaction string",
    )
    chunk = spark.createDataFrame([(moment,)], "at timestamp")
    line = TransactionVisibility(PgSnapshot(5, 5))
    assert current_rows(chunk, changes, line, ["at"]).count() == 0
