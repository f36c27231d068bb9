"""Thousands of random histories in one Spark job, held against the merge in plain Python.

Rows are shuffled and spread over any number of tasks: the ends, the order and what won are the same.
"""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import HealthCheck, Phase, given, note, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from cutline.context import Context, MergePolicy
from cutline.engine.merge import judged
from merge.candidates import ends, frame, with_ties
from merge.histories import EVERYTHING, LENIENT, STRICT, histories
from merge.reference import judge

HISTORIES = 1500
# Not shrunk: a smaller seed is no smaller history. What differs is named by its subject.
IN_FEW_JOBS = settings(
    max_examples=2,
    deadline=None,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=list(HealthCheck),
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
    told = judge(rows, context, policy)
    expected = Counter((r.subject, r.id, r.data, r.sequence, r.end()) for r in told)
    random.Random(seed).shuffle(rows)
    before = spark.conf.get("spark.sql.shuffle.partitions")
    try:
        spark.conf.set("spark.sql.shuffle.partitions", asked_of)
        found = judged(frame(spark, rows).repartition(given_in), context, policy).collect()
    finally:
        spark.conf.set("spark.sql.shuffle.partitions", str(before))
    got = Counter(
        (r["subject"], r["id"], r["data"], r["sequence"], end)
        for r, end in zip(found, ends(found), strict=True)
    )
    assert sorted((got - expected).items()) == sorted((expected - got).items())
    rules = {end[0] for *_, end in got}
    assert len(rules) > 5, f"the histories are too tame: {rules}"
