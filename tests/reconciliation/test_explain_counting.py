"""Counting by attribute and pair: as a naive count in Python, whatever the tables."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from cutline_reconciliation.explain.attributes import MATCHED_LABEL
from cutline_reconciliation.explain.likely_causes import BEST, LikelyCauses, likely_causes
from cutline_reconciliation.explain.risk import LEAST_SUBJECTS, Counts, causes, likeliest

SCHEMA = "grouped string, label string, number bigint, places array<int>"
pairs = st.tuples(st.sampled_from("xyz"), st.sampled_from(["1", "2", "", None]))
attributes = st.lists(pairs, max_size=4, unique=True)
members = st.tuples(st.sampled_from([MATCHED_LABEL, MATCHED_LABEL, "A", "B"]), attributes)
groups = st.lists(st.lists(members, max_size=30), min_size=15, max_size=25)


@settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck))
@given(groups)
def test_as_a_naive_count(spark: SparkSession, cases: list[Any]) -> None:
    rows = [(f"g{i}", label, told) for i, case in enumerate(cases) for label, told in case]
    found = counted(spark, rows)
    expected = {
        (f"g{i}", label): naive(case, label)
        for i, case in enumerate(cases)
        for label in {label for label, _ in case} - {MATCHED_LABEL}
    }
    assert set(found) == set(expected)
    for key, (subjects, matched, told) in expected.items():
        one = found[key]
        assert (one.subjects, one.matched) == (subjects, matched)
        assert [(c.ratio, c.counts) for c in one.causes] == [(c.ratio, c.counts) for c in told]


def counted(spark: SparkSession, rows: list[Any]) -> dict[tuple[str, str], LikelyCauses]:
    """The rows of group, label and attributes, counted as profiles in Spark."""
    every = sorted({a for _, _, own in rows for a in own}, key=order)
    places = {attribute: 3 * place for place, attribute in enumerate(every)}
    profiles = Counter(
        (group, label, tuple(sorted(places[a] for a in own))) for group, label, own in rows
    )
    frame = spark.createDataFrame(
        [(group, label, number, list(own)) for (group, label, own), number in profiles.items()],
        SCHEMA,
    )
    return likely_causes(frame.repartition(3), {place: a for a, place in places.items()})


def naive(case: list[Any], label: str) -> tuple[int, int, list[Any]]:
    """Every single attribute and every pair of likely ones, counted one by one."""
    wanted = set()
    for each in sorted({name for name, _ in case} - {MATCHED_LABEL}):
        wanted |= {c.attributes[0] for c in likeliest(singles(case, each))[:BEST]}
    counted = dict(singles(case, label))
    for one, two in combinations(sorted(wanted, key=order), 2):
        if one[0] != two[0]:
            counted[(one, two)] = counts(case, label, {one, two})
    mine = [told for name, told in case if name == label]
    told = [a for _, own in case for a in own]
    tried = sum(told.count(a) >= LEAST_SUBJECTS for a in set(told))
    return len(mine), sum(name == MATCHED_LABEL for name, _ in case), causes(counted, tried)


def singles(case: list[Any], label: str) -> dict[Any, Counts]:
    every = {a for name, told in case if name == label for a in told}
    return {(a,): counts(case, label, {a}) for a in sorted(every, key=repr)}


def counts(case: list[Any], label: str, asked: set[Any]) -> Counts:
    mine = [set(told) for name, told in case if name == label]
    others = [set(told) for name, told in case if name == MATCHED_LABEL]
    return Counts(
        sum(asked <= told for told in mine),
        sum(asked <= told for told in others),
        len(mine),
        len(others),
    )


def order(attribute: tuple[str, str | None]) -> tuple[str, bool, str]:
    """Nulls last, as Spark sorts an array of structs."""
    return (attribute[0], attribute[1] is not None, attribute[1] or "")


def test_two_columns_together_are_found_where_neither_alone_tells(spark: SparkSession) -> None:
    web, bundle = ("channel", "WEB"), ("kind", "BUNDLE")
    store, simple = ("channel", "STORE"), ("kind", "SIMPLE")
    rows = [("g", "A", [web, bundle])] * 40
    rows += [("g", MATCHED_LABEL, [web, simple])] * 400 + [
        ("g", MATCHED_LABEL, [store, bundle])
    ] * 400
    (found,) = counted(spark, rows).values()
    assert found.causes[0].attributes == (web, bundle)
    assert found.causes[0].counts == Counts(40, 0, 40, 800)
    assert (found.subjects, found.matched) == (40, 800)


def test_nobody_matches_or_nothing_is_known(spark: SparkSession) -> None:
    rows = [("g", "A", [("x", "1")]), ("g", "A", [("x", "1")]), ("h", "B", []), ("h", "", [])]
    found = counted(spark, rows)
    assert {k: (v.subjects, v.matched, v.causes) for k, v in found.items()} == {
        ("g", "A"): (2, 0, ()),
        ("h", "B"): (1, 1, ()),
    }
