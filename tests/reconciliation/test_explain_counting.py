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
    rows = [
        (f"g{i}", label, attributes) for i, case in enumerate(cases) for label, attributes in case
    ]
    causes_by_label = counted(spark, rows)
    expected = {
        (f"g{i}", label): naive(case, label)
        for i, case in enumerate(cases)
        for label in {label for label, _ in case} - {MATCHED_LABEL}
    }
    assert set(causes_by_label) == set(expected)
    for key, (subjects, matched, likely) in expected.items():
        label_causes = causes_by_label[key]
        assert (label_causes.subjects, label_causes.matched) == (subjects, matched)
        assert [(c.ratio, c.counts) for c in label_causes.causes] == [
            (c.ratio, c.counts) for c in likely
        ]


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
    for first, second in combinations(sorted(wanted, key=order), 2):
        if first[0] != second[0]:
            counted[(first, second)] = counts(case, label, {first, second})
    mine = [attributes for name, attributes in case if name == label]
    attributes = [a for _, own in case for a in own]
    tried = sum(attributes.count(a) >= LEAST_SUBJECTS for a in set(attributes))
    return len(mine), sum(name == MATCHED_LABEL for name, _ in case), causes(counted, tried)


def singles(case: list[Any], label: str) -> dict[Any, Counts]:
    every = {a for name, attributes in case if name == label for a in attributes}
    return {(a,): counts(case, label, {a}) for a in sorted(every, key=repr)}


def counts(case: list[Any], label: str, wanted: set[Any]) -> Counts:
    mine = [set(attributes) for name, attributes in case if name == label]
    others = [set(attributes) for name, attributes in case if name == MATCHED_LABEL]
    return Counts(
        sum(wanted <= attributes for attributes in mine),
        sum(wanted <= attributes for attributes in others),
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
    (likely,) = counted(spark, rows).values()
    assert likely.causes[0].attributes == (web, bundle)
    assert likely.causes[0].counts == Counts(40, 0, 40, 800)
    assert (likely.subjects, likely.matched) == (40, 800)


def test_nobody_matches_or_nothing_is_known(spark: SparkSession) -> None:
    rows = [("g", "A", [("x", "1")]), ("g", "A", [("x", "1")]), ("h", "B", []), ("h", "", [])]
    likely = counted(spark, rows)
    assert {k: (v.subjects, v.matched, v.causes) for k, v in likely.items()} == {
        ("g", "A"): (2, 0, ()),
        ("h", "B"): (1, 1, ()),
    }
