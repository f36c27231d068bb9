"""Events that tie in all that the rules look at: what becomes of each does not hang on their order."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from cutline.engine.merge import with_verdicts
from support.merge.candidates import candidate, frame
from support.shop import SHOP

PLACE = {"migsrckey": '["1"]', "migsrcpos": "1"}


@pytest.mark.parametrize(
    ("first_columns", "second_columns"),
    [
        ({"migsrckey": '["1"]', "migsrcpos": None}, {"migsrckey": None, "migsrcpos": '["1"]'}),
        ({"migregion": "eu", "migcontext": None}, {"migregion": None, "migcontext": "eu"}),
    ],
    ids=["said", "beside"],
)
def test_what_differs_in_where_a_null_stands_has_an_order(
    spark: SparkSession, first_columns: dict[str, str | None], second_columns: dict[str, str | None]
) -> None:
    rows = [
        candidate("a", "Placed", 1) | PLACE | values for values in (first_columns, second_columns)
    ]
    accepted = []
    for ordered_rows in (rows, rows[::-1]):
        winners = with_verdicts(frame(spark, ordered_rows).coalesce(1), SHOP).where(
            "verdict = 'accepted'"
        )
        accepted.append([{name: row[name] for name in first_columns} for row in winners.collect()])
    assert accepted[0] == accepted[1]
    assert len(accepted[0]) == 1
