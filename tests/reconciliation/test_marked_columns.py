"""Columns that hold texts and numbers: rules see the values, and a text stays apart from a number."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from cutline.errors import ConfigurationError
from cutline_reconciliation.compare import ColumnResult, Comparison, Rules, compare
from support.side_tables import Desk


@pytest.fixture
def desk(spark: SparkSession, tmp_path: Path) -> Desk:
    return Desk(spark, tmp_path)


def lines(desk: Desk, name: str, *values: str, y: int = 1) -> str:
    rows = (f'{{"id": {i}, "x": {value}, "y": {y}}}\n' for i, value in enumerate(values))
    return desk.write(name, "".join(rows))


def compared(
    desk: Desk, left: str, right: str, rules: dict[str, Any], key: str = "id", **wishes: Any
) -> Comparison:
    sides = desk.sides(left, right, (key,), **wishes)
    return compare(sides[0].frame, sides[1].frame, [key], Rules.model_validate(rules))


@pytest.mark.parametrize(
    ("condition", "left_out"),
    [("x = 'a'", 2), ("x in ('a', '5')", 1), ("x <> 'a'", 1), ("length(x) = 1", 0)],
)
def test_a_condition_sees_the_values_without_quotes(
    desk: Desk, condition: str, left_out: int
) -> None:
    left, right = (lines(desk, f"{y}.jsonl", '"a"', "5", '"b"', y=y) for y in (1, 2))
    comparison = compared(desk, left, right, {"where": {"left": condition, "right": condition}})
    assert (comparison.filtered_left, comparison.filtered_right) == (left_out, left_out)
    assert (comparison.changed, comparison.columns["y"].different) == (3 - left_out, 3 - left_out)


def test_a_typed_side_is_filtered_by_its_own_type(desk: Desk) -> None:
    left = lines(desk, "l.jsonl", '"1"', "2", "10")
    right = str(desk.folder / "r.parquet")
    pq.write_table(pa.table({"id": [0, 1, 2], "x": [1, 2, 10], "y": [1, 1, 1]}), right)
    comparison = compared(desk, left, right, {"where": {"right": "x + 1 > 2", "left": "x <> '1'"}})
    assert (comparison.equal, comparison.filtered_left, comparison.filtered_right) == (True, 1, 1)
    assert compared(desk, left, right, {}).columns["x"].different == 1


def test_a_database_is_filtered_by_its_values(desk: Desk) -> None:
    paths = []
    for y in (1, 2):
        path = desk.folder / f"{y}.db"
        with sqlite3.connect(path) as connection:
            connection.executescript(
                f"CREATE TABLE t (id INT, x BLOB, y INT);"
                f"INSERT INTO t VALUES (1, 'a', {y}), (2, 5, {y}), (3, x'61', {y});"
            )
        connection.close()
        paths.append(f"{path}#t")
    comparison = compared(desk, *paths, {"where": {"left": "x = 'a'", "right": "x = 'a'"}})
    assert (comparison.changed, comparison.filtered_left) == (1, 2)


RULES_OF_TEXTS: list[tuple[str, str, dict[str, Any], str | None]] = [
    ('" a\\t"', '"a"', {"trim": True}, "trim"),
    ('" a "', '"a "', {"trim": "left"}, "trim"),
    ('" 5"', "5", {"trim": True}, None),
    ('"A"', '"a"', {"case": "ignore"}, "case"),
    ('" a"', '"A"', {"trim": True, "case": "ignore"}, "trim+case"),
    ("null", '"none"', {"null_equals": "none"}, "null_equals"),
    ("null", "0.0", {"null_equals": 0}, "null_equals"),
    ("null", '"0"', {"null_equals": 0}, None),
    ("null", "true", {"null_equals": "true"}, "null_equals"),
    ("null", "\"x'00'\"", {"null_equals": "x'00'"}, "null_equals"),
    ("null", '["a"]', {"null_equals": '["a"]'}, "null_equals"),
    ('"A"', '"ACTIVE"', {"map": {"A": "ACTIVE"}}, "map"),
]
"""A value, the one beside it, the rules, and which of them forgive the difference."""


def check_forgiven(differences: ColumnResult, rule: str | None) -> None:
    """These rules, joined by `+`, and no others forgave the column's one difference."""
    forgiven = {name for name, n in differences.forgiven_by.items() if n}
    assert forgiven == ({*rule.split("+")} if rule else set())
    assert (differences.different, differences.within_tolerance) == ((0, 1) if rule else (1, 0))


def test_rules_of_columns_are_for_what_is_within_the_quotes(desk: Desk) -> None:
    """Each column has a case, beside values of all kinds."""

    def rows(side: int) -> str:
        first = {f"x{n}": json.loads(case[side]) for n, case in enumerate(RULES_OF_TEXTS)}
        more: list[Any] = [7, "b", True, []]
        objects = [{"id": 0} | first]
        objects += [{"id": n} | dict.fromkeys(first, value) for n, value in enumerate(more, 1)]
        return desk.write(f"{side}.jsonl", "".join(json.dumps(row) + "\n" for row in objects))

    rules = {f"x{n}": case[2] for n, case in enumerate(RULES_OF_TEXTS)}
    comparison = compared(desk, rows(0), rows(1), {"columns": rules})
    for n, (*_, rule) in enumerate(RULES_OF_TEXTS):
        check_forgiven(comparison.columns[f"x{n}"], rule)


@pytest.mark.parametrize(("value", "opposite", "rules", "rule"), RULES_OF_TEXTS)
def test_rules_of_texts_are_for_what_is_within_the_quotes(
    desk: Desk, value: str, opposite: str, rules: dict[str, Any], rule: str | None
) -> None:
    left = lines(desk, "l.jsonl", value, "7", '"b"', "true", "[]")
    right = lines(desk, "r.jsonl", opposite, "7", '"b"', "true", "[]")
    check_forgiven(compared(desk, left, right, {"types": {"text": rules}}).columns["x"], rule)


def test_a_key_is_trimmed_within_its_quotes(desk: Desk) -> None:
    left, right = lines(desk, "l.jsonl", '" a "', "5"), lines(desk, "r.jsonl", '"a"', '"5"')
    comparison = compared(desk, left, right, {"columns": {"x": {"trim": True}}}, key="x")
    assert (comparison.matched, comparison.only_left, comparison.only_right) == (1, 1, 1)


def test_what_is_computed_is_compared_as_it_is_computed(desk: Desk) -> None:
    left, right = lines(desk, "l.jsonl", '"ab"', "5"), lines(desk, "r.jsonl", '"cd"', "6")
    length = {"x": "length(x)"}
    assert compared(desk, left, right, {"compute": {"left": length, "right": length}}).equal
    with pytest.raises(ConfigurationError, match="holds values of several kinds") as raised:
        compared(desk, left, right, {"compute": {"left": {"x": "upper(x)"}}})
    assert "the right side (number, text), and is computed on the left side" in raised.value.what
    assert raised.value.next_step is not None
    assert "--as-text x" in raised.value.next_step
    rules = {"compute": {"left": {"x": "'cd'"}}, "where": {"right": "id = 0", "left": "id = 0"}}
    assert compared(desk, left, right, rules, as_text=frozenset({"x"})).equal


def test_the_texts_beside_a_column_are_no_columns_of_the_table(desk: Desk) -> None:
    left = lines(desk, "l.jsonl", '"a"', "5")
    with pytest.raises(ConfigurationError) as raised:
        compared(desk, left, left, {"ignore": ["_cutline_marked1"]})
    assert raised.value.next_step == "There is: id, x, y."
    assert compared(desk, left, left, {"ignore": ["x"]}).columns.keys() == {"y"}
    comparison = compared(desk, left, left, {"combine": {"left": {"x": "max", "y": "sum"}}})
    assert comparison.equal
