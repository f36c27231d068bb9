"""Events that tie in all that the rules look at: what becomes of each does not hang on their order."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from cutline.engine.merge import with_verdicts
from support.merge.candidates import candidate, frame
from support.shop import SHOP

PLACE = {"migsrckey": '["1"]', "migsrcpos": "1"}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"migsrckey": '["1"]', "migsrcpos": None}, {"migsrckey": None, "migsrcpos": '["1"]'}),
        ({"migregion": "eu", "migcontext": None}, {"migregion": None, "migcontext": "eu"}),
    ],
    ids=["said", "beside"],
)
def test_what_differs_in_where_a_null_stands_has_an_order(
    spark: SparkSession, one: dict[str, str | None], other: dict[str, str | None]
) -> None:
    rows = [candidate("a", "Placed", 1) | PLACE | values for values in (one, other)]
    kept = []
    for given in (rows, rows[::-1]):
        found = with_verdicts(frame(spark, given).coalesce(1), SHOP).where("verdict = 'accepted'")
        kept.append([{name: row[name] for name in one} for row in found.collect()])
    assert kept[0] == kept[1]
    assert len(kept[0]) == 1
