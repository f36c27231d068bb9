"""Random tables: comparisons equal a naive one in Python, and do not mind sides or order."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from decimal import Decimal
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from cutline_reconciliation.compare import ColumnRules, Rules, compare
from cutline_reconciliation.compare import pair_rows as paired

SCHEMA = (
    "case int, k string, n bigint, d decimal(20,4), t string, f double, at timestamp, "
    "a array<bigint>, s struct<x:string,y:decimal(10,2)>"
)
TYPES = ("n", "d", "t", "f", "at", "a", "s")
TOLERANCE = Decimal("0.5")
EPOCH = dt.datetime(2026, 11, 1, tzinfo=dt.UTC)

numbers = st.sampled_from([0, 1, -1, 2**53, 2**53 + 1, 2**63 - 1, -(2**63)])
texts = st.sampled_from(["", " ", "a", "a ", "a|b", "<null>", "é", "e\u0301", "0", "-0.0"])
LARGEST = "9999999999999999"
decimals = st.sampled_from(
    [
        Decimal(text).quantize(Decimal("1.0000"))
        for text in ("0", "1.1", "1.6", "1.6001", f"-{LARGEST}", f"{LARGEST}.9999")
    ]
)
floats = st.sampled_from([0.0, -0.0, 1.5, float("nan"), float("inf")])
moments = st.sampled_from([EPOCH, EPOCH + dt.timedelta(microseconds=1)])
structs = st.tuples(
    texts | st.none(), st.sampled_from([Decimal("1.10"), Decimal("1.11")]) | st.none()
)
values = st.tuples(
    numbers | st.none(), decimals | st.none(), texts | st.none(), floats | st.none(),
    moments | st.none(), st.lists(numbers | st.none(), max_size=2) | st.none(), structs | st.none(),
)  # fmt: skip
rows = st.lists(st.tuples(st.sampled_from(["a", "b", "c", "", None]), values), max_size=6)
edits = st.lists(st.tuples(rows, rows, st.booleans()), min_size=40, max_size=60)


@settings(max_examples=5, deadline=None, suppress_health_check=list(HealthCheck))
@given(edits)
def test_as_a_naive_comparison(spark: SparkSession, cases: list[Any]) -> None:
    # In half of the cases the right side starts as a copy, so that many keys match.
    pairs = [(left, left + right if copied else right) for left, right, copied in cases]
    left = [(i, k, *v) for i, (ls, _) in enumerate(pairs) for k, v in ls]
    right = [(i, k, *v) for i, (_, rs) in enumerate(pairs) for k, v in rs]
    classes_by_key = classes(spark, left, right)
    assert classes_by_key == naive(left, right)
    mirrored = {"only_left": "only_right", "only_right": "only_left"}
    assert classes(spark, right[::-1], left[::-1]) == {
        key: (mirrored.get(name, name), rights, lefts, changed)
        for key, (name, lefts, rights, changed) in classes_by_key.items()
    }


@settings(max_examples=3, deadline=None, suppress_health_check=list(HealthCheck))
@given(edits, st.integers(1, 5))
def test_whole_tables_as_a_naive_comparison(
    spark: SparkSession, cases: list[Any], parts: int
) -> None:
    pairs = [(left, left + right if copied else right) for left, right, copied in cases]
    left = [(i, k, *v) for i, (ls, _) in enumerate(pairs) for k, v in ls]
    right = [(i, k, *v) for i, (_, rs) in enumerate(pairs) for k, v in rs]
    expected = naive_totals(left, right)
    assert totals(spark, left, right, 1) == expected
    mirrored = {
        name.replace("left", "-").replace("right", "left").replace("-", "right"): n
        for name, n in expected.items()
    }
    assert totals(spark, right[::-1], left[::-1], parts) == mirrored


def totals(spark: SparkSession, left: list[Any], right: list[Any], parts: int) -> dict[str, Any]:
    frames = [spark.createDataFrame(side, SCHEMA).repartition(parts) for side in (left, right)]
    rules = Rules(columns={name: ColumnRules(tolerance=TOLERANCE) for name in "nd"})
    comparison = compare(*frames, ["case", "k"], rules).as_json()
    columns = {n: (c["different"], c["within_tolerance"]) for n, c in comparison["columns"].items()}
    for name in ("key", "forgave", "ignored", "columns_only_left", "columns_only_right"):
        del comparison[name]
    return comparison | {"columns": columns, "filtered_left": 0, "filtered_right": 0}


def naive_totals(left: list[Any], right: list[Any]) -> dict[str, Any]:
    by_key = naive(left, right)
    kinds = Counter(name for name, *_ in by_key.values())
    figures: dict[str, Any] = {
        "filtered_left": 0, "filtered_right": 0,
        "matched": kinds["matched"] + kinds["within_tolerance"],
        "forgiven": kinds["within_tolerance"],
        **{name: kinds[name] for name in ("changed", "only_left", "only_right")},
    }  # fmt: skip
    for side, rows, place in (("left", left, 1), ("right", right, 2)):
        doubled = [e for e in by_key.values() if e[0] == "duplicated"]
        figures[f"rows_{side}"] = len(rows)
        figures[f"duplicate_keys_{side}"] = sum(e[place] > 1 for e in doubled)
        figures[f"duplicated_rows_{side}"] = sum(e[place] for e in doubled)
        figures[f"null_keys_{side}"] = sum(row[1] is None for row in rows)
    lefts, rights = (Counter(map(hashable, side)) for side in (left, right))
    more = (lefts - rights) + (rights - lefts)
    figures["null_keys_unlike"] = sum(n for row, n in more.items() if row[1] is None)
    figures["duplicate_keys_unlike"] = len(
        {row[:2] for row in more if row[1] is not None and by_key[row[:2]][0] == "duplicated"}
    )
    column_changes = [change for *_, changes in by_key.values() for change in changes]
    figures["columns"] = {
        name: (
            column_changes.count((name, "changed")),
            column_changes.count((name, "within_tolerance")),
        )
        for name in TYPES
    }
    figures["equal"] = not (
        figures["changed"] or figures["only_left"] or figures["only_right"]
        or figures["null_keys_unlike"] or figures["duplicate_keys_unlike"]
    )  # fmt: skip
    return figures


def hashable(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """A row as the comparison sees it: NaN is NaN, and -0.0 is 0.0."""
    cells = [tuple(v) if isinstance(v, list) else v for v in row]
    return tuple("NaN" if v != v else v for v in cells)


def classes(spark: SparkSession, left: list[Any], right: list[Any]) -> dict[Any, Any]:
    frames = [spark.createDataFrame(side, SCHEMA) for side in (left, right)]
    tolerances = {
        name: ColumnRules(tolerance=TOLERANCE) if name in "nd" else None for name in TYPES
    }
    compared = paired(*frames, key=["case", "k"], columns=tolerances)
    return {
        (r.case, r.k): (
            r["class"], r.rows_left, r.rows_right,
            [(d.column, d["class"]) for d in r.differences],
        )
        for r in compared.collect()
    }  # fmt: skip


def naive(left: list[Any], right: list[Any]) -> dict[Any, Any]:
    lefts, rights = Counter(r[:2] for r in left), Counter(r[:2] for r in right)
    classes_by_key = {}
    for key in lefts | rights:
        counts = lefts[key], rights[key]
        changed: list[tuple[str, str]] = []
        if key[1] is None:
            name = "null_key"
        elif max(counts) > 1:
            name = "duplicated"
        elif counts == (1, 0):
            name = "only_left"
        elif counts == (0, 1):
            name = "only_right"
        else:
            left_row, right_row = (
                next(r[2:] for r in side if r[:2] == key) for side in (left, right)
            )
            changed = [
                (column, "within_tolerance" if near(column, a, b) else "changed")
                for column, a, b in zip(TYPES, left_row, right_row, strict=True)
                if not identical(a, b)
            ]
            kinds = {kind for _, kind in changed}
            name = "changed" if "changed" in kinds else "within_tolerance" if kinds else "matched"
        classes_by_key[key] = (name, *counts, changed)
    return classes_by_key


def identical(a: Any, b: Any) -> bool:
    return (a != a and b != b) or (type(a) is type(b) and a == b)


def near(column: str, a: Any, b: Any) -> bool:
    return column in "nd" and None not in (a, b) and abs(Decimal(a) - Decimal(b)) <= TOLERANCE
