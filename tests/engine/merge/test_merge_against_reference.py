"""Thousands of random histories in one Spark job, held against the merge in plain Python.

Rows are shuffled and spread over any number of tasks: the ends, the order and what won are the same.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, note, settings
from hypothesis import strategies as st
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from cutline.context import Context, MergePolicy
from cutline.engine.merge import placement, with_verdicts
from cutline.engine.merge.columns import time_is_known
from support.merge.candidates import ends, frame, with_ties
from support.merge.histories import EVERYTHING, LENIENT, STRICT, histories
from support.merge.reference import Row, judge

Ends = Counter[tuple[Any, ...]]
HISTORIES = 1500
# Not shrunk: a smaller seed is no smaller history. What differs is named by its subject.
IN_FEW_JOBS = settings(
    max_examples=2,
    deadline=None,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=list(HealthCheck),
)


def by_reference(rows: list[Row], context: Context, policy: MergePolicy) -> Ends:
    return Counter(
        (r.subject, r.id, r.data, r.sequence, r.end()) for r in judge(rows, context, policy)
    )


def in_columns(candidates: DataFrame, context: Context, policy: MergePolicy) -> Ends:
    rows = with_verdicts(candidates, context, policy).collect()
    return Counter(
        (r["subject"], r["id"], r["data"], r["sequence"], end)
        for r, end in zip(rows, ends(rows), strict=True)
    )


@pytest.mark.parametrize(
    ("context", "policy"),
    [(STRICT, EVERYTHING), (LENIENT, EVERYTHING), (LENIENT, MergePolicy())],
    ids=["strict", "lenient", "as-declared"],
)
@IN_FEW_JOBS
@given(seed=st.integers(0, 2**32), given_in=st.integers(1, 7), asked_of=st.integers(1, 7))
def test_the_columns_say_what_the_reference_says(
    spark: SparkSession,
    context: Context,
    policy: MergePolicy,
    seed: int,
    given_in: int,
    asked_of: int,
) -> None:
    note(f"histories({seed}, {HISTORIES})")
    rows = with_ties(spark, histories(seed, HISTORIES))
    expected = by_reference(rows, context, policy)
    random.Random(seed).shuffle(rows)
    before = spark.conf.get("spark.sql.shuffle.partitions")
    try:
        spark.conf.set("spark.sql.shuffle.partitions", asked_of)
        computed = in_columns(frame(spark, rows).repartition(given_in), context, policy)
    finally:
        spark.conf.set("spark.sql.shuffle.partitions", str(before))
    assert sorted((computed - expected).items()) == sorted((expected - computed).items())
    rules = {end[0] for *_, end in computed}
    assert len(rules) > 5, f"the histories are too tame: {rules}"


@pytest.mark.parametrize(
    "shown",
    [lambda: F.lit(False), lambda: ~time_is_known()],
    ids=["only-business-times-follow", "commits-of-a-log-are-moved"],
)
def test_a_placing_that_takes_unknown_times_for_others_is_noticed(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch, shown: Callable[[], Column]
) -> None:
    rows = with_ties(spark, histories(24, HISTORIES))
    right = by_reference(rows, LENIENT, EVERYTHING)
    assert in_columns(frame(spark, rows), LENIENT, EVERYTHING) == right
    monkeypatch.setattr(placement, "is_from_snapshot", shown)
    assert in_columns(frame(spark, rows), LENIENT, EVERYTHING) != right
