"""How old what is open is: by name and age, and the oldest."""

from __future__ import annotations

import datetime as dt

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from cutline.results.reconcile import OpenAge
from cutline_reconciliation.history.ages import ages_of, open_ages

AT = dt.datetime(2026, 11, 30, 12, tzinfo=dt.UTC)
ROWS = (
    ("no-order", 2, dt.timedelta(hours=23), None),
    ("no-order", 1, dt.timedelta(days=1), None),
    ("no-order", 4, dt.timedelta(days=7) - dt.timedelta(microseconds=1), None),
    ("no-order", 3, dt.timedelta(days=7), None),
    ("no-order", 5, dt.timedelta(days=30), None),
    ("no-order", 7, dt.timedelta(days=90), "run-2"),
    ("early", 1, -dt.timedelta(days=2), None),
    ("mended", 1, dt.timedelta(days=3), "run-2"),
)


def test_ages_by_rule_and_the_oldest(spark: SparkSession) -> None:
    rows = [(rule, rows, AT - age, fixed) for rule, rows, age, fixed in ROWS]
    history = spark.createDataFrame(
        rows, "rule string, rows bigint, first_seen_at timestamp, fixed_run string"
    )
    keyed = open_ages("rule", ("early", "mended", "never", "no-order"), F.col("rows"), AT)
    [counted] = history.agg(*(c.alias(n) for n, c in keyed.columns.items())).collect()
    counts = {name: int(value or 0) for name, value in counted.asDict().items()}
    assert ages_of(keyed.read(counts)) == {
        "early": OpenAge(
            AT + dt.timedelta(days=2),
            {"below_1d": 1, "1d_to_7d": 0, "7d_to_30d": 0, "from_30d": 0},
        ),
        "no-order": OpenAge(
            AT - dt.timedelta(days=30),
            {"below_1d": 2, "1d_to_7d": 5, "7d_to_30d": 3, "from_30d": 5},
        ),
    }
