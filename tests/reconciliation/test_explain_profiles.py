"""What subjects have, as bits of words: as it is gathered row by row, and at no greater cost."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pyspark.sql.types as T
import pytest
from pyspark.sql import SparkSession

from cutline.context import Context
from cutline.lake.lake import Lake
from cutline.project.loaded import LoadedProject
from cutline.project.model import ProjectFile
from cutline.results import EXTRACT, ExtractResult
from cutline.tables import DISPOSITIONS, REFUSED, TIMELINE
from cutline.tables.change import changes
from cutline.translator import SourceContract, Translation, Translator, column, table
from cutline.workspace import Workspace
from cutline_reconciliation.explain.attributes import MATCHED_LABEL, attribute_profiles
from cutline_reconciliation.explain.places import NOT_NULL, Attribute, place_columns
from support.reported import written
from support.sample_project import document
from support.shop import MORNING, NOON, SHOP, Lines, OldLine, OldOrder, OldPiece, Orders

GROUPS = (("state", "order"), ("record", "stock"))
MEMBERS = "grouped string, label string, aggregate string, subject string"
CHANCE = random.Random(26)
ORDER_ROWS = {
    f"O{n}": (
        f"O{n}",
        CHANCE.choice("NRC"),
        CHANCE.choice([None, *range(300)]),
        CHANCE.choice(["web", "store", "it's \\ both", None]),
        CHANCE.choice([MORNING, NOON.replace(year=2019), None]),
        None,
    )
    for n in range(120)
}
LINE_ROWS = {
    f"{no}/{sku}": (no, sku, CHANCE.choice([1, 2, None]), CHANCE.choice([True, False]))
    for no in ORDER_ROWS
    for sku in CHANCE.sample("ABCDEF", 2)
}


def disposition(table: str, key: str, aggregate: str, subject: str) -> dict[str, Any]:
    row = {"source": "old", "table": table, "key": key, "op": "r", "position": "0"}
    return row | {"subject": subject, "aggregate": aggregate, "disposition": "translated"}


def event(aggregate: str, subject: str, table: str, key: str) -> dict[str, Any]:
    return {
        "id": f"{subject}{key}", "source": "urn:x", "type": "t", "subject": subject,
        "aggregate": aggregate, "datacontenttype": "application/json", "partitionkey": subject,
        "migorigin": "synthetic", "migreplaysafe": False, "migconfidence": "exact",
        "migtimebasis": "effective", "migsrcsystem": "old", "migsrctable": table,
        "migsrckey": key, "side": "before", "data": "{}", "ordinal": 1, "rule": "accepted",
        "findings": [], "verdict": "held", "reason": "",
    }  # fmt: skip


DISPOSED = [
    *(disposition("orders", key, "order", key) for key in ORDER_ROWS for _ in range(2)),
    *(
        disposition("lines", key, "stock", CHANCE.choice(["eu/A", "eu/B", "eu/C"]))
        for key in LINE_ROWS
    ),
    disposition("orders", "nowhere", "order", "O-without-image"),
]
EVENTS = [event("order", row[0], "lines", key) for key, row in LINE_ROWS.items() if row[2] == 2]
SUBJECTS = [("order", no) for no in (*ORDER_ROWS, "O-without-image", "O-unheard-of")]
SUBJECTS += [("stock", name) for name in ("eu/A", "eu/B", "eu/C", "eu/D")]


def extracted(spark: SparkSession, lake: Lake, contract: type[SourceContract], rows: Any) -> None:
    written(
        spark,
        lake,
        changes(contract.source(), contract.table(), contract.ddl()),
        [
            {"source": contract.source(), "table": contract.table(), "key": key, "op": "r",
             "after": row, "position": "0", "extract_time": MORNING, "defects": []}
            for key, row in rows
        ],
    )  # fmt: skip


@pytest.fixture(scope="module")
def workspace(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    folder = tmp_path_factory.mktemp("profiles")
    lake = Lake(str(folder / "lake"))
    written(spark, lake, DISPOSITIONS, DISPOSED)
    written(spark, lake, TIMELINE, EVENTS)
    written(spark, lake, REFUSED, [event("stock", "eu/D", "orders", "O1")])
    extracted(spark, lake, OldOrder, ORDER_ROWS.items())
    extracted(spark, lake, OldLine, LINE_ROWS.items())
    extracted(spark, lake, OldPiece, [])
    file = ProjectFile.model_validate(document())
    return Workspace(
        run_id="run-1",
        region="north",
        project=LoadedProject(file, folder, folder / "c.yaml", "north"),
        context=Context(SHOP.name, SHOP.doc, SHOP.aggregates),
        translation=Translation("shop", "1.0.0", SHOP, (Orders, Lines)),
        lake=lake,
        recorded_at=MORNING,
        positions={},
        done={EXTRACT: ExtractResult(rows_in=0, rows_out=0)},
    )


def members() -> list[tuple[str, str, str, str]]:
    """Each subject in one label or two of its group, or among the matches."""
    chance = random.Random(1)
    rows = []
    for aggregate, subject in SUBJECTS:
        group = "state/order" if aggregate == "order" else "record/stock"
        labels = chance.choice([("A",), ("B",), ("A", "B"), (MATCHED_LABEL,)])
        rows += [(group, label, aggregate, subject) for label in labels]
    return rows


def as_gathered(rows: Iterable[tuple[str, str, str, str]]) -> Counter[Any]:
    """The profiles by a plain walk: each subject's rows, each row's attributes."""
    behind = defaultdict(set)
    for row in DISPOSED:
        behind[(row["aggregate"], row["subject"])].add((row["table"], row["key"]))
    for row in (*EVENTS, event("stock", "eu/D", "orders", "O1")):
        behind[(row["aggregate"], row["subject"])].add((row["migsrctable"], row["migsrckey"]))
    return Counter(
        (group, label, frozenset(a for row in behind[(aggregate, subject)] for a in of_row(*row)))
        for group, label, aggregate, subject in rows
    )


def of_row(table: str, key: str) -> set[Attribute]:
    if table == "orders":
        return of_order(key)
    (no, _, quantity, reserved) = LINE_ROWS[key]
    line_values = {("quantity", quantity and str(quantity)), ("reserved", str(reserved).lower())}
    return {(f"old.lines.{name}", value) for name, value in line_values} | of_order(no)


def of_order(no: str) -> set[Attribute]:
    if no not in ORDER_ROWS:
        return set()
    (_, status, cents, channel, placed, released) = ORDER_ROWS[no]
    values = {
        "status": status,
        "cents": None if cents is None else NOT_NULL,
        "channel": channel,
        "placed_at": placed and str(placed.year),
        "released_at": released,
    }
    return {(f"old.orders.{name}", value) for name, value in values.items()}


def test_as_gathered_row_by_row(spark: SparkSession, workspace: Workspace) -> None:
    rows = members()
    frame = spark.createDataFrame(rows, MEMBERS)
    profiles, places = attribute_profiles(workspace, frame, GROUPS, None)
    counted: Counter[Any] = Counter()
    for row in profiles.collect():
        attributes = frozenset(places.attributes[place] for place in row["places"])
        assert len(attributes) == len(row["places"])
        counted[(row["grouped"], row["label"], attributes)] += row["number"]
    assert counted == as_gathered(rows)


def test_labels_that_are_not_looked_into_are_counted_without_attributes(
    spark: SparkSession, workspace: Workspace
) -> None:
    rows = members()
    frame = spark.createDataFrame(rows, MEMBERS)
    profiles, _ = attribute_profiles(workspace, frame, GROUPS, ["A"])
    counted_profiles = profiles.collect()
    beyond = [row for row in counted_profiles if row["label"] == "B"]
    assert all(row["places"] == [] for row in beyond)
    assert sum(row["number"] for row in beyond) == sum(label == "B" for _, label, _, _ in rows)
    assert sum(bool(row["places"]) for row in counted_profiles if row["label"] != "B") > 10


class OldPerson(SourceContract):
    """A person, of whom nothing may be shown."""

    no: T.StringType = column(doc="their number", nullable=False)
    mail: T.StringType = column(doc="how to reach them", personal=True)

    class Config:
        """Where the rows come from."""

        metadata = table("old", "people", key=["no"])


class People(Translator):
    """Orders of people."""

    context, aggregate, version = SHOP, "order", "1.0.0"
    source, subject = OldPerson, "no"


def test_where_every_column_is_a_key_or_personal_subjects_have_no_attributes(
    spark: SparkSession, workspace: Workspace
) -> None:
    extracted(spark, workspace.lake, OldPerson, [(no, (no, f"{no}@x")) for no in ORDER_ROWS])
    translation = Translation("shop", "1.0.0", SHOP, (People,))
    rows = members()
    frame = spark.createDataFrame(rows, MEMBERS)
    profiles, places = attribute_profiles(
        replace(workspace, translation=translation), frame, GROUPS, None
    )
    counted_profiles = profiles.collect()
    assert not places.attributes
    assert all(row["places"] == [] for row in counted_profiles)
    assert sum(row["number"] for row in counted_profiles) == len(rows)


def test_no_array_by_subject_and_nothing_broadcast(
    spark: SparkSession, workspace: Workspace
) -> None:
    """Spark would broadcast tables as small as these; nothing asks it to."""
    frame = spark.createDataFrame(members(), MEMBERS)
    threshold = "spark.sql.autoBroadcastJoinThreshold"
    before = spark.conf.get(threshold)
    spark.conf.set(threshold, "-1")
    try:
        profiles, _ = attribute_profiles(workspace, frame, GROUPS, None)
        plan = profiles._jdf.queryExecution().executedPlan().toString()
    finally:
        spark.conf.set(threshold, before)
    assert "collect_" not in plan
    assert "Broadcast" not in plan
    assert "ObjectHashAggregate" not in plan


def test_a_column_of_many_values_lies_in_two_words() -> None:
    values = [f"v{n:03}" for n in range(70)]
    places = place_columns({"b": "b", "a": "a", "c": "c"}, {"a": ["x"], "b": values})
    assert [(one.name, one.first) for one in places.columns] == [("a", 0), ("b", 64), ("c", 135)]
    assert places.words == ("_word_0", "_word_1", "_word_2")
    assert places.attributes[64] == ("b", None)
    assert places.attributes[134] == ("b", "v069")
    assert places.attributes[136] == ("c", NOT_NULL)


def test_bits_of_a_row(spark: SparkSession) -> None:
    values = [f"v{n:03}" for n in range(70)]
    places = place_columns({"a": "a", "b": "b", "c": "c"}, {"a": ["it's", "x\\"], "b": values})
    words = [f"{sql} AS {word}" for word, sql in places.words_of(["a", "b", "c"]).items()]
    rows = [("it's", "v000", None), ("x\\", "v069", "1"), (None, "v062", "2"), ("x\\", None, "3")]
    rows_with_words = spark.createDataFrame(rows, "a string, b string, c string").selectExpr(
        "a", "b", "c", *words
    )
    rows_with_places = rows_with_words.selectExpr(
        "a", "b", "c", f"{places.places()} AS places"
    ).collect()
    for a, b, c, row_places in rows_with_places:
        expected_c = None if c is None else NOT_NULL
        assert [places.attributes[p] for p in row_places] == [("a", a), ("b", b), ("c", expected_c)]
