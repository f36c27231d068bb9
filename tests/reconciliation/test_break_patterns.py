"""What became of a value: each pattern on literal values, in one job, and the ids of clusters."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Any

import pytest
from pyspark.sql import DataFrame, Row, SparkSession

from cutline.masking import Masking
from cutline.tables import BREAKS
from cutline_reconciliation.explain.clusters import ALIKE, collect_clusters, with_cluster
from cutline_reconciliation.explain.patterns import with_patterns, with_shapes

OPEN = Masking(frozenset(), {})
PRIVATE = Masking(frozenset({"phone"}), {})

SHAPES = [
    # column, legacy, new, pattern
    ("text", None, "x", "null → a value"),
    ("text", "x", None, "a value → null"),
    ("text", None, "", "null → empty text"),
    ("text", "", None, "empty text → null"),
    ("text", "", "x", "empty text → a value"),
    ("text", "Main Street", "Main  Street ", "only blanks differ"),
    ("text", "ÉCLAIR", "éclair", "only upper and lower case differ"),
    ("text", "00042", "42", "leading zeros are lost"),
    ("text", "42", "042", "leading zeros are added"),
    ("text", "12-34", "1234", "only punctuation differs"),
    ("text", "Johannesburg", "Johann", "cut short"),
    ("text", "Johann", "Johannesburg", "something is added at its end"),
    ("text", "Burg", "JohannesBurg", "something is put before it"),
    ("text", "the abbey", "abbey", "its beginning is cut off"),
    ("number", "0", "7", "0 → more than 0"),
    ("number", "0", "-7", "0 → less than 0"),
    ("number", "7", "0", "a number → 0"),
    ("number", "12.5", "-12.5", "the sign turned"),
    ("number", "12.34", "1234", "× 100"),
    ("number", "1234", "12.34", "÷ 100"),
    ("number", "7", "14", "× 2"),
    ("number", "10.00", "10.01", "0.01 more"),
    ("number", "9007199254740993", "9007199254740992", "1 less"),
    ("moment", "2026-11-01T02:00:00.000000Z", "2026-11-01T03:00:00.000000Z", "+1 hour"),
    ("moment", "2026-11-01T02:00:00.000000Z", "2026-10-31T20:00:00.000000Z", "−6 hours"),
    ("moment", "2026-11-01T02:00:00.000000Z", "2026-11-01T07:30:00.000000Z", "+11 half hours"),
    ("moment", "2026-11-01", "2026-11-02", "+1 day"),
    ("moment", "2026-03-31", "2026-02-28", "−1 month"),
    ("moment", "2026-11-01T02:03:04.000000Z", "2026-11-01T00:00:00.000000Z",
     "the time of day is lost"),
    ("moment", "2026-11-01T02:03:04.500000Z", "2026-11-01T02:03:04.000000Z",
     "the part of a second is lost"),
]  # fmt: skip


SHAPED = "shaped", "whole", "often", "swapped"


def a_break(subject: str, column: str | None, legacy: Any, new: Any, **more: Any) -> dict[str, Any]:
    row = {"level": "state", "name": "order", "subject": subject, "kind": "different"}
    row |= {"column": column, "legacy": legacy, "new": new}
    if column is not None and column.startswith("number"):
        row["amount"] = Decimal(new) - Decimal(legacy)
    return row | more


def world(name: str) -> Iterator[dict[str, Any]]:
    """The breaks of one aggregate or outcome; each is a world of its own."""
    if name == "shaped":
        for i, (column, legacy, new, _) in enumerate(SHAPES):
            yield a_break(f"S-{i}", f"{column} {i}", legacy, new)
    if name == "whole":
        yield a_break("1", None, None, None, kind="missing", level="record")
        yield a_break("2", None, None, None, kind="unexpected", level="record")
        yield a_break("3", None, "1", "2", kind="duplicated", level="record")
        yield a_break("4", None, "wait", None, kind="missing", level="outcome")
        yield a_break("5", None, None, "wait", kind="unexpected", level="outcome")
        yield a_break("6", "value", "wait", "go", level="outcome")
    if name == "often":
        yield from (a_break(f"A{i}", "status", "open", "done") for i in range(60))
        yield from (a_break(f"B{i}", "status", f"odd{i}", "gone") for i in range(38))
        yield from (a_break(f"C{i}", "status", "late", "lost") for i in range(2))
        yield from (a_break(f"N{i}", "number", f"{i + 100}", f"{3 * i + 900}") for i in range(30))
        yield from (a_break(f"L{i}", "needs", f"[{i}]", f"[{i},1]") for i in range(30))
    if name == "swapped":
        yield from (a_break(f"{i}", "street", f"s{i}", f"c{i}") for i in range(3))
        yield from (a_break(f"{i}", "city", f"c{i}", f"s{i}") for i in range(3))
        yield a_break("9", "city", "a", "b")


def breaks_frame(spark: SparkSession, rows: Iterable[dict[str, Any]]) -> DataFrame:
    values = [tuple(row.get(name) for name in BREAKS.names) for row in rows]
    return spark.createDataFrame(values, BREAKS.ddl).repartition(3)


@pytest.fixture(scope="module")
def named(spark: SparkSession) -> Iterator[DataFrame]:
    """All worlds, as the stage makes them."""
    rows = [row | {"name": name} for name in SHAPED for row in world(name)]
    frame = with_cluster(with_patterns(with_shapes(breaks_frame(spark, rows)), OPEN)).persist()
    yield frame
    frame.unpersist()


@pytest.fixture(scope="module")
def breaks_by_world(named: DataFrame) -> dict[str, list[Row]]:
    rows = named.collect()
    return {name: [row for row in rows if row.name == name] for name in SHAPED}


def test_every_shape_has_its_name(breaks_by_world: dict[str, list[Row]]) -> None:
    patterns = {row.subject: row.pattern for row in breaks_by_world["shaped"]}
    assert patterns == {f"S-{i}": pattern for i, (*_, pattern) in enumerate(SHAPES)}


def test_whole_subjects_and_decisions(breaks_by_world: dict[str, list[Row]]) -> None:
    assert {row.subject: row.pattern for row in breaks_by_world["whole"]} == {
        "1": "only the legacy has it",
        "2": "only the new side has it",
        "3": "the new side has it more than once",
        "4": "wait → not there",
        "5": "not there → wait",
        "6": "wait → go",
    }


def test_frequent_values_are_named_and_rare_ones_told_together(
    breaks_by_world: dict[str, list[Row]],
) -> None:
    assert Counter((row.column, row.pattern) for row in breaks_by_world["often"]) == {
        ("status", "open → done"): 60,
        ("status", "another value"): 40,
        ("number", "more than it was"): 30,
        ("needs", "another content"): 30,
    }


def test_values_that_two_columns_swapped(breaks_by_world: dict[str, list[Row]]) -> None:
    assert Counter((r.column, r.pattern, r["columns"]) for r in breaks_by_world["swapped"]) == {
        ("street", "swapped with city", "city, street"): 3,
        ("city", "swapped with street", "city, street"): 3,
        ("city", "another value", None): 1,
    }


def test_every_break_is_in_one_cluster(
    named: DataFrame, breaks_by_world: dict[str, list[Row]]
) -> None:
    rows = [row for told in breaks_by_world.values() for row in told]
    clusters = collect_clusters(named, OPEN)
    assert len(rows) == sum(len(list(world(name))) for name in SHAPED)
    assert {c["cluster"]: c["count"] for c in clusters} == Counter(row.cluster for row in rows)
    moved: Counter[str] = Counter()
    for row in rows:
        moved[row.cluster] += abs(row.amount or 0)
    assert {c["cluster"]: c["money"] or 0 for c in clusters} == moved


def test_personal_values_are_no_pattern(spark: SparkSession) -> None:
    rows = [a_break(f"{i}", column, "+491", "+492") for i in range(5) for column in ("Phone", "no")]
    frame = with_shapes(breaks_frame(spark, rows))
    patterns = {(r.column, r.pattern) for r in with_patterns(frame, PRIVATE).collect()}
    assert patterns == {("Phone", "another value"), ("no", "+491 → +492")}
    unknown = with_patterns(frame, Masking(frozenset(), {}, contracts_known=False)).collect()
    assert {row.pattern for row in unknown} == {"another value"}


def test_amounts_of_personal_columns_are_not_told(spark: SparkSession) -> None:
    rows = [a_break("1", "number", "1", "3"), a_break("1", "number of phone", "1", "9")]
    frame = with_cluster(with_patterns(with_shapes(breaks_frame(spark, rows)), OPEN))
    hidden = Masking(frozenset({"number of phone"}), {})
    money = {row["column"]: row["money"] for row in collect_clusters(frame, hidden)}
    assert money == {"number": 2, "number of phone": None}


def test_money_is_what_is_at_risk_and_else_the_distance(spark: SparkSession) -> None:
    whole = {"kind": "missing", "level": "outcome", "at_risk": Decimal(5000)}
    far = {"level": "outcome", "at_risk": Decimal(3)}
    rows = [a_break("1", None, "5000", None, **whole), a_break("2", "number", "5", "2", **far)]
    rows.append(a_break("3", "number", "5", "2"))
    frame = with_cluster(with_patterns(with_shapes(breaks_frame(spark, rows)), OPEN))
    clusters_by_kind = {(c["level"], c["kind"]): c for c in collect_clusters(frame, OPEN)}
    money = {
        key: (cluster["money"], cluster["amount"]) for key, cluster in clusters_by_kind.items()
    }
    assert money == {
        ("outcome", "missing"): (5000, None),
        ("outcome", "different"): (3, -3),
        ("state", "different"): (3, -3),
    }


def test_the_id_is_of_the_pattern_and_of_nothing_else(spark: SparkSession) -> None:
    alike = dict.fromkeys(ALIKE, "x") | {"columns": None}
    rows = [alike | {"subject": "1"}, alike | {"subject": "2"}]
    rows += [alike | {name: "y"} for name in ALIKE]
    names = (*ALIKE, "subject")
    ddl = ", ".join(f"`{name}` string" for name in names)
    frame = spark.createDataFrame([tuple(row.get(n) for n in names) for row in rows], ddl)
    ids = [row.cluster for row in with_cluster(frame).collect()]
    assert ids[0] == ids[1]
    assert len(set(ids)) == len(ALIKE) + 1
    assert all(re.fullmatch("[0-9a-f]{16}", one) for one in ids)
