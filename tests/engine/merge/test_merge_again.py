"""A tail that comes later, merged with what was merged before, gives what all at once gives."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

from hypothesis import HealthCheck, Phase, example, given, note, settings
from hypothesis import strategies as st
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from cutline.engine.merge import merge_later_tail, with_verdicts
from support.merge.candidates import candidate, frame
from support.merge.histories import EVERYTHING, LENIENT, histories
from support.shop import SHOP

HISTORIES = 2000


def rows_as_json(rows: DataFrame) -> Counter[str]:
    """Every column of every row, as text."""
    return Counter(r[0] for r in rows.select(F.to_json(F.struct(*sorted(rows.columns)))).collect())


@settings(
    max_examples=2,
    deadline=None,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=list(HealthCheck),
)
# Of one id there are two events that differ in nothing but the region that told them.
@example(seed=23873)
@given(seed=st.integers(0, 2**32))
def test_two_tails_one_after_the_other_are_one_merge(spark: SparkSession, seed: int) -> None:
    note(f"histories({seed}, {HISTORIES}), shared out by Random({seed})")
    rows = histories(seed, HISTORIES)
    parts: list[list[dict[str, Any]]] = [[], [], []]
    rng = random.Random(seed)
    for row in rows:
        # Most subjects have nothing in the last tail; some of it came before as well.
        part = rng.choice((0, 0, 0, 1, 2))
        parts[part].append(row)
    first, second, third = (frame(spark, part) for part in parts)
    # As it would be stored: what was judged does not depend on how it is read.
    stored = with_verdicts(first, LENIENT, EVERYTHING).localCheckpoint()
    stored = merge_later_tail(stored, second, LENIENT, EVERYTHING).localCheckpoint()
    merged = rows_as_json(merge_later_tail(stored, third, LENIENT, EVERYTHING))
    expected = rows_as_json(with_verdicts(frame(spark, rows), LENIENT, EVERYTHING))
    assert sorted((merged - expected).items()) == sorted((expected - merged).items())
    assert sum(merged.values()) == len(rows)


def test_only_subjects_of_the_later_tail_are_judged_again(spark: SparkSession) -> None:
    before = [candidate("a", "Placed", 1), candidate("b", "Released", 1, subject="o2")]
    stored = with_verdicts(frame(spark, before), SHOP)
    marked = stored.withColumn("reason", F.lit("as it was"))
    later = [candidate("c", "Placed", 1, subject="o2")]
    rows = merge_later_tail(marked, frame(spark, later), SHOP).collect()
    assert {r["id"]: (r["verdict"], r["reason"], r["ordinal"]) for r in rows} == {
        "a": ("accepted", "as it was", 1),
        "c": ("accepted", "nothing speaks against it", 1),
        "b": ("accepted", "nothing speaks against it", 2),
    }
