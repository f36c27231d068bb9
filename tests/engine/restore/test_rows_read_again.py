"""Rows that a snapshot reads while the log runs: where they stand, and how many rows there are."""

from __future__ import annotations

from typing import Any

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from cutline.cut.in_log import SnapshotInLog
from cutline.engine.restore import ChangeFeatures
from cutline.engine.restore.id_history import trace_ids
from cutline.engine.translate import translate_changes
from cutline.translator import Occurrence, Translator, fact, lookup
from support.changes import change, changes_table, position, snapshot
from support.desk import (
    DESK,
    Cases,
    OldCase,
    OldPaper,
    Opened,
    PaperCases,
    announced_rows,
    case,
    of,
    paper,
    renamed,
)


def read(row: dict[str, Any], at: int | None = None) -> dict[str, Any]:
    """A row that was read while the log ran; without `at` it carries no position."""
    place = None if at is None else position(at)
    return change("r", at or 0, after=row) | {
        "source_time": None,
        "logged": True,
        "position": place,
    }


MOVES = "old string, new string, position string, old_subject string, new_subject string"


@pytest.mark.parametrize("turned", [False, True])
def test_a_key_is_given_before_it_is_read_at_the_same_place(
    spark: SparkSession, turned: bool
) -> None:
    rows = [
        (None, "a", position(10), None, None, False),
        ("a", "n", position(100), "a", "n", False),
        (None, "n", position(100), None, None, True),
    ]
    moves = spark.createDataFrame(rows[::-1] if turned else rows, f"{MOVES}, shown boolean")
    departures = trace_ids(moves.coalesce(1), splits=False).where(F.col("until").isNotNull())
    assert [(row["id"], row["subject"]) for row in departures.collect()] == [("a", "n")]


@pytest.mark.parametrize("partitions", [1, 7])
def test_a_history_goes_on_however_the_rows_are_spread(
    spark: SparkSession, partitions: int
) -> None:
    rows = []
    for i in range(12):
        rows += [
            change("c", 10, after=case(f"a{i}")),
            renamed(100, case(f"a{i}"), case(f"n{i}")) | {"partition": 1},
            read(case(f"n{i}")) | {"partition": 1},
        ]
    features = ChangeFeatures(renames=True, unplaced=True, rereads=True)
    inputs = {OldCase: changes_table(spark, OldCase, rows, line=SnapshotInLog(), features=features)}
    before = spark.conf.get("spark.sql.shuffle.partitions")
    spark.conf.set("spark.sql.shuffle.partitions", str(partitions))
    try:
        row_ends = announced_rows(translate_changes(Cases, inputs))
    finally:
        spark.conf.set("spark.sql.shuffle.partitions", str(before))
    events = sorted(event for row in row_ends for event in row[4])
    assert events == sorted(f"Opened:n{i}:n" for i in range(12))


@pytest.mark.parametrize("in_line", [True, False])
def test_in_files_one_behind_the_other_a_row_stands_behind_all_changes_of_its_key(
    spark: SparkSession, in_line: bool
) -> None:
    rows = [
        change("c", 5, after=case("a", "O", "x")),
        change("u", 10, before=case("a", "O", "x"), after=case("a", "C", "y")),
        read(case("a", "C", "y")) | {"partition": 1},
    ]
    features = ChangeFeatures(unplaced=True, rereads=True, in_line=in_line)
    inputs = {OldCase: changes_table(spark, OldCase, rows, line=SnapshotInLog(), features=features)}
    row_ends = of(announced_rows(translate_changes(Cases, inputs)), "a")
    places = [(op, place) for op, place, _, _ in row_ends]
    if in_line:
        assert row_ends == [
            ("c", 5, "", ["Opened:a:x"]),
            ("r", 10, "nothing-to-announce", []),
            ("u", 10, "", ["Closed:a:y", "Noted:a:y"]),
        ]
    else:
        # Of two partitions of a topic nothing tells what came first.
        assert places == [("r", 0), ("c", 5), ("u", 10)]


def test_a_row_is_read_behind_the_snapshot_of_its_own_file(spark: SparkSession) -> None:
    at_point = snapshot(case("a")) | {"position": position(5)}
    rows = [
        at_point,
        snapshot(case("b")) | {"position": position(5)},
        change("u", 10, before=case("a"), after=case("a", "C")),
        read(case("a", "C")),
        read(case("b", "O", "later")),
    ]
    features = ChangeFeatures(unplaced=True, rereads=True)
    inputs = {
        OldCase: changes_table(
            spark, OldCase, rows, consistent_point=position(5), features=features
        )
    }
    row_ends = announced_rows(translate_changes(Cases, inputs))
    assert of(row_ends, "a") == [
        ("r", 5, "", ["Opened:a:n"]),
        ("r", 10, "nothing-to-announce", []),
        ("u", 10, "", ["Closed:a:n"]),
    ]
    assert of(row_ends, "b") == [
        ("r", 5, "", ["Opened:b:later"]),
        ("r", 5, "read-again", []),
    ]


@pytest.mark.parametrize("log", ["in-log", "exported"])
def test_rows_of_a_part_are_counted_however_they_came(spark: SparkSession, log: str) -> None:
    in_log = log == "in-log"
    cases = [read(case(no), 1) if in_log else snapshot(case(no)) for no in ("a", "b", "c")]
    papers = [
        # Changed, and never read; or what told of it first could not be read.
        change("u", 10, before=paper(1, "a"), after=paper(1, "a", True)),
        change("c", 11, after=paper(2, "a")),
        change("d", 12, before=paper(1, "a", True)),
        # Deleted after a change alone told of it: the next ones are counted from none.
        change("u", 20, before=paper(5, "b"), after=paper(5, "b", True)),
        change("d", 21, before=paper(5, "b", True)),
        change("c", 22, after=paper(6, "b")),
        change("c", 23, after=paper(7, "b")),
        # It leaves a case where it was never seen.
        change("c", 30, after=paper(8, "c")),
        change("u", 31, before=paper(9, "c"), after=paper(9, "b")),
        change("c", 32, after=paper(10, "c")),
    ]
    how: dict[str, Any] = {"line": SnapshotInLog()} if in_log else {"consistent_point": position(5)}
    inputs = {
        OldCase: changes_table(spark, OldCase, cases, **how),
        OldPaper: changes_table(spark, OldPaper, papers, **how),
    }
    row_ends = announced_rows(translate_changes(PaperCases, inputs).where("table = 'papers'"))
    several = {row[0] + row[1] for row in row_ends if row[3].startswith("several-rows")}
    assert {"2c", "7c", "10c"} <= several
    assert "6c" not in several
    # One of two still stands: that one is gone is not told as if it had been the only one.
    assert [row[4] for row in row_ends if row[:2] == ("1", "d")] == [[]]


class NamedPapers(Translator):
    """Cases, with what another table says of them."""

    context = DESK
    aggregate = "case"
    version = "1.0.0"
    source = OldPaper
    subject = "case"
    desk = lookup(OldCase, on="case", frozen=True)

    @fact(Opened)
    def opened(self, row):
        return Occurrence(when=F.lit(True), time_basis="commit", data={"note": row.desk.note})


LOOKED_UP = [
    change("c", 10, after=case("first", note="1")) | {"offset": 1},
    change("u", 10, after=case("first", note="2")) | {"offset": 2},
    read(case("again", note="1"), 5) | {"offset": 3},
    change("u", 20, after=case("again", note="2")) | {"defects": ["wrong"], "offset": 4},
    read(case("again", note="3"), 21) | {"offset": 5},
]


@pytest.mark.parametrize("turned", [False, True])
def test_what_is_looked_up_is_the_last_image_of_its_row(spark: SparkSession, turned: bool) -> None:
    rows = LOOKED_UP[::-1] if turned else LOOKED_UP
    papers = [snapshot(paper(1, "first")), snapshot(paper(2, "again"))]
    features = ChangeFeatures(rereads=True)
    inputs = {
        OldPaper: changes_table(spark, OldPaper, papers),
        OldCase: changes_table(spark, OldCase, rows, line=SnapshotInLog(), features=features),
    }
    row_ends = announced_rows(translate_changes(NamedPapers, inputs).where("table = 'papers'"))
    assert [row[4] for row in row_ends] == [["Opened:first:2"], ["Opened:again:3"]]
