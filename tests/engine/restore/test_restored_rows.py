"""What a log leaves out of a change is found in the row's own history: literal rows and their ends."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from pyspark.sql import SparkSession

from cutline.context import Aggregate
from cutline.cut import CommitTimestamp
from cutline.cut.batches import Batches, BatchPlace
from cutline.cut.compared import ComparedExtracts
from cutline.cut.in_log import SnapshotInLog
from cutline.engine.restore import ChangeFeatures
from cutline.engine.translate import translate_changes
from cutline.errors import ConfigurationError
from cutline.positions import PostgresPosition
from cutline.translator import (
    Translator,
)
from support.changes import change, changes_table, position, snapshot
from support.desk import (
    CASE,
    Cases,
    EachOfCases,
    OldCase,
    OldPaper,
    PaperCases,
    SplitCases,
    announced_rows,
    case,
    of,
    paper,
    renamed,
)


def test_untold_columns_and_images_before_are_the_last_known_ones(spark: SparkSession) -> None:
    rows = [
        snapshot(case("toast", note="long")),
        change("u", 10, after=case("toast", "C", None)) | {"unknown": ["note"]},
        snapshot(case("really-null", note="long")),
        change("u", 11, after=case("really-null", "C", None)),
        change("u", 12, after=case("stranger", "C", None)) | {"unknown": ["note"]},
        change("u", 13, after=case("stranger", "C", "told")),
        change("c", 14, after=case("two", note=None)),
        change("u", 15, after=case("two", "C", "x")),
        change("u", 16, after=case("two", None, None)) | {"unknown": ["status", "note"]},
        change("d", 17, after=None, before=None, key=["two"]),
        change("d", 18, after=None, before=None, key=["unheard"]),
        change("u", 3, after=case("shown", None, None)) | {"unknown": ["status", "note"]},
        snapshot(case("shown", "C", "kept")),
        change("u", 19, after=case("shown", "C", None)) | {"unknown": ["note"]},
        snapshot(case("broken-between", "O", "old")),
        change("u", 20, after=case("broken-between", "C", "lost")) | {"defects": ["wrong-type:x"]},
        change("u", 21, after=case("broken-between", "C", None)) | {"unknown": ["note"]},
    ]
    features = ChangeFeatures(partial=True)
    inputs = {
        OldCase: changes_table(
            spark, OldCase, rows, consistent_point=position(5), features=features
        )
    }
    row_ends = announced_rows(translate_changes(Cases, inputs))
    assert of(row_ends, "toast") == [
        ("r", 0, "", ["Opened:toast:long"]),
        ("u", 10, "", ["Closed:toast:long"]),
    ]
    assert of(row_ends, "really-null")[1] == (
        "u",
        11,
        "",
        ["Closed:really-null", "Noted:really-null"],
    )
    assert of(row_ends, "stranger")[0] == ("u", 12, "no-prior-image", [])
    assert of(row_ends, "two")[2:] == [
        ("u", 16, "nothing-to-announce", []),
        ("d", 17, "", ["Dropped:two"]),
    ]
    assert of(row_ends, "unheard") == [("d", 18, "no-prior-image", [])]
    assert [rule for _, _, rule, _ in of(row_ends, "shown")] == [
        "",
        "committed-before-the-snapshot",
        "nothing-to-announce",
    ]


def test_without_the_extract_s_word_a_partial_change_is_never_taken_for_whole(
    spark: SparkSession,
) -> None:
    rows = [
        snapshot(case("a")),
        change("u", 10, after=case("a", "C", None)) | {"unknown": ["note"]},
        change("u", 11, after=case("b", "C"), before=case("a")) | {"old_key": '["a"]'},
    ]
    inputs = {OldCase: changes_table(spark, OldCase, rows, consistent_point=position(5))}
    assert [row[3] for row in announced_rows(translate_changes(Cases, inputs))] == [
        "",
        *["no-prior-image"] * 2,
    ]


def test_what_is_delivered_again_is_counted_and_changes_nothing(spark: SparkSession) -> None:
    first = change("u", 10, before=case("a"), after=case("a", "C"))
    second = change("u", 20, before=case("a", "C"), after=case("a", "O", "re"))
    rows = [snapshot(case("a")), first, second, first, second, change("d", 30, before=case("a"))]
    moved = renamed(40, case("x"), case("y"))
    rows += [snapshot(case("x")), moved, moved]
    features = ChangeFeatures(renames=True)
    inputs = {
        OldCase: changes_table(
            spark, OldCase, rows, consistent_point=position(5), features=features
        )
    }
    row_ends = announced_rows(translate_changes(Cases, inputs))
    assert of(row_ends, "x") == [("r", 0, "", ["Opened:y:n"])]
    assert of(row_ends, "y") == [
        ("u", 40, "nothing-to-announce", []),
        ("u", 40, "repeated-delivery", []),
    ]
    assert [(op, at, rule) for op, at, rule, _ in of(row_ends, "a")] == [
        ("r", 0, ""),
        ("u", 10, ""),
        ("u", 10, "repeated-delivery"),
        ("u", 20, ""),
        ("u", 20, "repeated-delivery"),
        ("d", 30, ""),
    ]


@pytest.mark.parametrize(
    ("translator", "expected"),
    [
        (
            EachOfCases,
            [
                ("c", "", ["Opened:a:n"]),
                ("u", "", ["Closed:a:n"]),
                ("u", "", ["Noted:a:re"]),
                ("u", "repeated-delivery", []),
            ],
        ),
        (
            Cases,
            [
                ("c", "within-its-transaction", []),
                ("u", "", ["Opened:a:re"]),
                ("u", "repeated-delivery", []),
                ("u", "within-its-transaction", []),
            ],
        ),
    ],
)
def test_several_changes_of_a_row_at_one_position_are_none_that_was_delivered_again(
    spark: SparkSession, translator: type[Translator], expected: list[tuple[Any, ...]]
) -> None:
    """A log may give all changes of a transaction one place; they come in their order."""
    opened = change("c", 10, after=case("a", "O"))
    closed = change("u", 10, before=case("a", "O"), after=case("a", "C"))
    reopened = change("u", 10, before=case("a", "C"), after=case("a", "O", "re"))
    rows = [opened, closed, reopened, reopened]
    inputs = {OldCase: changes_table(spark, OldCase, rows, consistent_point=position(5))}
    assert [
        (op, rule, events)
        for op, _, rule, events in of(announced_rows(translate_changes(translator, inputs)), "a")
    ] == expected


def test_rows_that_a_snapshot_in_the_log_reads_again_settle_by_position(
    spark: SparkSession,
) -> None:
    def read(row: dict[str, Any], at: int) -> dict[str, Any]:
        return change("r", at, after=row) | {"source_time": None, "logged": True}

    rows = [
        read(case("twice", note="first"), 5),
        read(case("twice", note="again"), 6),
        change("u", 10, before=None, after=case("twice", "C", "again")),
        read(case("again-later", "O"), 5),
        change("u", 11, after=case("again-later", "C")),
        read(case("again-later", "C"), 12),
        read(case("moved-on", "O"), 5),
        read(case("moved-on", "C"), 12) | {"position": None},
        change("u", 13, after=case("late", "C")),
        read(case("late", "C"), 14),
        change("d", 15, before=None, after=None, key=["unseen"]),
    ]
    features = ChangeFeatures(partial=True, unplaced=True)
    inputs = {OldCase: changes_table(spark, OldCase, rows, line=SnapshotInLog(), features=features)}
    row_ends = announced_rows(translate_changes(Cases, inputs))
    assert of(row_ends, "twice") == [
        ("r", 5, "read-again", []),
        ("r", 6, "", ["Opened:twice:again"]),
        ("u", 10, "", ["Closed:twice:again"]),
    ]
    assert of(row_ends, "again-later")[1:] == [
        ("u", 11, "", ["Closed:again-later:n"]),
        ("r", 12, "nothing-to-announce", []),
    ]
    assert of(row_ends, "late") == [
        ("u", 13, "no-prior-image", []),
        ("r", 14, "", ["Opened:late:n", "Closed:late:n"]),
    ]
    assert of(row_ends, "unseen") == [("d", 15, "deleted-unseen", [])]
    # A row read again without a change between is the same snapshot, later; its image counts.
    assert of(row_ends, "moved-on") == [
        ("r", 5, "", ["Opened:moved-on:n", "Closed:moved-on:n"]),
        ("r", 5, "read-again", []),
    ]


RENAMES = [
    snapshot(case("a")),
    change("u", 10, before=case("a"), after=case("a", note="x")),
    renamed(20, case("a", note="x"), case("b", note="x")),
    renamed(30, case("b", note="x"), case("c", note="x")),
    change("u", 40, after=case("c", "C", "x")),
    # The first id is used again, for another case.
    change("c", 50, after=case("a", note="second")),
    change("d", 60, before=case("a", note="second")),
    # An id that another case had before.
    change("c", 11, after=case("used")),
    change("d", 12, before=case("used")),
    change("c", 13, after=case("giver")),
    renamed(14, case("giver"), case("used")),
    change("u", 15, before=case("used"), after=case("used", "C")),
]


def test_a_history_goes_on_under_the_new_id(spark: SparkSession) -> None:
    features = ChangeFeatures(renames=True, partial=True)
    inputs = {
        OldCase: changes_table(
            spark, OldCase, RENAMES, consistent_point=position(5), features=features
        )
    }
    row_ends = announced_rows(translate_changes(Cases, inputs))
    assert of(row_ends, "a") == [
        ("r", 0, "", ["Opened:c:n"]),
        ("u", 10, "", ["Noted:c:x"]),
        ("c", 50, "", ["Opened:a:second"]),
        ("d", 60, "", ["Dropped:a"]),
    ]
    assert of(row_ends, "b") == [("u", 20, "nothing-to-announce", [])]
    assert of(row_ends, "c") == [
        ("u", 30, "nothing-to-announce", []),
        ("u", 40, "", ["Closed:c:x"]),
    ]
    # Another case had that number: its history is not joined to this one's.
    assert of(row_ends, "giver") == [
        ("c", 13, "", ["Opened:giver:n"]),
        ("d*", 14, "", ["Dropped:giver"]),
    ]
    assert of(row_ends, "used") == [
        ("c", 11, "", ["Opened:used:n"]),
        ("d", 12, "", ["Dropped:used"]),
        ("u", 14, "", ["Opened:used:n"]),
        ("u", 15, "", ["Closed:used:n"]),
    ]


def test_or_splits_as_the_context_says(spark: SparkSession) -> None:
    features = ChangeFeatures(renames=True, partial=True)
    inputs = {
        OldCase: changes_table(
            spark, OldCase, RENAMES, consistent_point=position(5), features=features
        )
    }
    row_ends = announced_rows(translate_changes(SplitCases, inputs))
    assert of(row_ends, "a") == [
        ("r", 0, "", ["Opened:a:n"]),
        ("u", 10, "", ["Noted:a:x"]),
        ("d*", 20, "", ["Dropped:a"]),
        ("c", 50, "", ["Opened:a:second"]),
        ("d", 60, "", ["Dropped:a"]),
    ]
    assert of(row_ends, "b") == [
        ("u", 20, "", ["Opened:b:x"]),
        ("d*", 30, "", ["Dropped:b"]),
    ]
    assert of(row_ends, "c") == [
        ("u", 30, "", ["Opened:c:x"]),
        ("u", 40, "", ["Closed:c:x"]),
    ]


def test_what_an_aggregate_does_with_a_changed_key_is_one_of_two() -> None:
    with pytest.raises(ConfigurationError, match="renamed is 'split'"):
        Aggregate("case", "One case.", CASE.events, CASE.state, renamed="split")


def test_a_part_that_goes_to_another_subject_leaves_the_first(spark: SparkSession) -> None:
    cases = [snapshot(case("a")), snapshot(case("b")), snapshot(case("e"))]
    papers = [
        snapshot(paper(1, "a", True)),
        change("u", 10, before=paper(1, "a", True), after=paper(1, "b", True)),
        change("u", 20, before=paper(1, "b", True), after=paper(1, "b")),
        # Of this one the log does not tell the row before.
        snapshot(paper(2, "e", True)),
        change("u", 30, after=paper(2, "a", True)),
        change("d", 40, before=None, after=None, key=[2]),
    ]
    features = ChangeFeatures(partial=True)
    inputs = {
        OldCase: changes_table(spark, OldCase, cases, consistent_point=position(5)),
        OldPaper: changes_table(
            spark, OldPaper, papers, consistent_point=position(5), features=features
        ),
    }
    row_ends = announced_rows(translate_changes(PaperCases, inputs).where("table = 'papers'"))
    assert of(row_ends, "1")[1:] == [
        ("d*", 10, "", ["Noted:a"]),
        ("u", 10, "", ["Closed:b"]),
        ("u", 20, "nothing-to-announce", []),
    ]
    assert of(row_ends, "2")[1:] == [
        ("d*", 30, "", ["Noted:e"]),
        ("u", 30, "", ["Closed:a"]),
        ("d", 40, "", ["Noted:a"]),
    ]


def test_a_part_that_goes_to_no_subject_leaves_the_first(spark: SparkSession) -> None:
    cases = [snapshot(case("a")), snapshot(case("b")), snapshot(case("c"))]
    nowhere = paper(1, "a", True) | {"case": None}
    papers = [
        snapshot(paper(1, "a", True)),
        change("u", 10, before=paper(1, "a", True), after=nowhere),
        change("u", 20, before=nowhere, after=paper(1, "a", True)),
        # Another one takes its place while it is nowhere.
        snapshot(paper(2, "b", True)),
        change("u", 10, before=paper(2, "b", True), after=nowhere | {"id": 2}),
        change("c", 20, after=paper(3, "b", True)),
        # It begins nowhere: what it says of its case was never announced.
        change("c", 10, after=nowhere | {"id": 4}),
        change("u", 20, before=nowhere | {"id": 4}, after=paper(4, "c", True)),
    ]
    inputs = {
        OldCase: changes_table(spark, OldCase, cases, consistent_point=position(5)),
        OldPaper: changes_table(spark, OldPaper, papers, consistent_point=position(5)),
    }
    rows = announced_rows(translate_changes(PaperCases, inputs).where("table = 'papers'"))
    nullable = ("u", 10, "contract:case:nullable", [])
    assert of(rows, "1")[1:] == [
        ("d*", 10, "", ["Noted:a"]),
        nullable,
        ("u", 20, "", ["Closed:a"]),
    ]
    assert of(rows, "2")[1:] == [("d*", 10, "", ["Noted:b"]), nullable]
    assert of(rows, "3") == [("c", 20, "", ["Closed:b"])]
    assert of(rows, "4") == [("c", *nullable[1:]), ("u", 20, "", ["Closed:c"])]


def test_the_row_beside_a_deleted_one_is_known_by_its_next_change(spark: SparkSession) -> None:
    papers = [
        change("c", 10, after=paper(1, "a")),
        change("c", 20, after=paper(2, "a")),
        change("d", 30, before=paper(1, "a")),
        change("u", 40, before=paper(2, "a"), after=paper(2, "a", True)),
    ]
    inputs = {
        OldCase: changes_table(spark, OldCase, [snapshot(case("a"))], consistent_point=position(5)),
        OldPaper: changes_table(spark, OldPaper, papers, consistent_point=position(5)),
    }
    rows = announced_rows(translate_changes(PaperCases, inputs).where("table = 'papers'"))
    assert of(rows, "2") == [
        ("c", 20, "several-rows:paper", []),
        ("u", 40, "", ["Closed:a"]),
    ]


def test_a_row_of_a_part_that_is_read_again_is_no_second_row(spark: SparkSession) -> None:
    def read(row: dict[str, Any], at: int) -> dict[str, Any]:
        return change("r", at, after=row) | {"source_time": None, "logged": True}

    cases = [read(case(no), 1) for no in ("a", "b", "c", "d", "e")]
    papers = [
        # Written, and read by a later snapshot; then once more.
        change("c", 10, after=paper(1, "a")),
        read(paper(1, "a"), 11),
        change("u", 12, before=paper(1, "a"), after=paper(1, "a", True)),
        read(paper(1, "a", True), 13),
        # Read, changed, read again.
        read(paper(2, "b"), 5),
        change("u", 10, before=paper(2, "b"), after=paper(2, "b", True)),
        read(paper(2, "b", True), 11),
        # The log tells of it before any snapshot read it; then a second paper comes.
        change("u", 10, before=paper(3, "c"), after=paper(3, "c", True)),
        read(paper(3, "c", True), 11),
        read(paper(3, "c", True), 12),
        change("c", 20, after=paper(4, "c")),
        # It came from another case.
        read(paper(5, "d"), 5),
        change("u", 10, before=paper(5, "d"), after=paper(5, "e")),
        read(paper(5, "e"), 11),
        # Its number is used again; and what broke its contract first was no row.
        change("c", 20, after=paper(6, "d")),
        change("d", 21, before=paper(6, "d")),
        change("c", 22, after=paper(6, "d")) | {"defects": ["wrong-type:signed"]},
        read(paper(6, "d"), 23),
        change("c", 24, after=paper(7, "d")),
    ]
    inputs = {
        OldCase: changes_table(spark, OldCase, cases, line=SnapshotInLog()),
        OldPaper: changes_table(spark, OldPaper, papers, line=SnapshotInLog()),
    }
    row_ends = announced_rows(translate_changes(PaperCases, inputs).where("table = 'papers'"))
    several = [row[:3] for row in row_ends if row[3].startswith("several-rows")]
    assert several == [("4", "c", 20), ("7", "c", 24)]


def test_the_parts_of_a_subject_follow_it_under_its_new_id(spark: SparkSession) -> None:
    cases = [snapshot(case("a")), renamed(20, case("a"), case("b"))]
    papers = [
        snapshot(paper(1, "a")),
        # The same transaction moves the paper too; its rows come after the case's.
        change("u", 20, before=paper(1, "a"), after=paper(1, "b")) | {"position": position(20, 7)},
        change("u", 30, before=paper(1, "b"), after=paper(1, "b", True)),
    ]
    inputs = {
        OldCase: changes_table(
            spark,
            OldCase,
            cases,
            consistent_point=position(5),
            features=ChangeFeatures(renames=True),
        ),
        OldPaper: changes_table(spark, OldPaper, papers, consistent_point=position(5)),
    }
    row_ends = announced_rows(translate_changes(PaperCases, inputs))
    announced = [event for row in row_ends for event in row[4]]
    assert announced == ["Opened:b:n", "Closed:b"]
    assert not [row for row in row_ends if row[1].endswith("*")]


def test_a_deletion_that_two_extracts_show_is_told_as_of_the_later(spark: SparkSession) -> None:
    deletion = change("d", 0, before=case("gone")) | {"logged": False, "source_time": None}
    rows = [snapshot(case("there")), snapshot(case("gone")), deletion]
    history = CommitTimestamp(dt.datetime(2026, 11, 1, tzinfo=dt.UTC))
    inputs = {
        OldCase: changes_table(spark, OldCase, rows, line=ComparedExtracts(), history=history)
    }
    frame = translate_changes(Cases, inputs)
    assert announced_rows(frame) == [
        ("gone", "d", 0, "", ["Dropped:gone"]),
        ("gone", "r", 0, "", ["Opened:gone:n"]),
        ("there", "r", 0, "", ["Opened:there:n"]),
    ]
    (end,) = frame.where("op = 'd'").select("events.basis", "events.confidence", "side").collect()
    assert (end["basis"], end["confidence"], end["side"]) == (
        ["extract"],
        ["approximate"],
        "before",
    )


def test_behind_what_could_not_be_read_nothing_is_known(spark: SparkSession) -> None:
    unknown_note = {"unknown": ["note"]}
    broken = {"defects": ["not-text:status"]}
    rows = [
        snapshot(case("b", note="old")),
        change("u", 10, before=case("b"), after=case("b", note="new")) | broken,
        change("u", 20, before=None, after=case("b", "C", None)) | unknown_note,
        snapshot(case("d", note="old")),
        change("d", 10, before=case("d", note="old")),
        change("c", 20, after=case("d", note="new")) | broken,
        change("u", 30, before=None, after=case("d", "C", None)) | unknown_note,
    ]
    features = ChangeFeatures(partial=True)
    changes = changes_table(spark, OldCase, rows, consistent_point=position(5), features=features)
    row_ends = announced_rows(translate_changes(Cases, {OldCase: changes}))
    assert of(row_ends, "b")[-1][:3] == ("u", 20, "no-prior-image")
    assert of(row_ends, "d")[-1][:3] == ("u", 30, "no-prior-image")


def test_a_batch_of_a_higher_generation_outranks_what_it_repairs(spark: SparkSession) -> None:
    places = [
        BatchPlace("first", 1, PostgresPosition(5), "5", "a", {}),
        BatchPlace("repair", 2, PostgresPosition(50), "50", "b", {}),
        BatchPlace("same-place", 3, PostgresPosition(50), "50", "c", {}),
    ]
    rows = [
        snapshot(case("kept")) | {"generation": 1, "position": position(5)},
        change("u", 10, before=case("kept"), after=case("kept", "C")),
        snapshot(case("repaired", "C", "wrong")) | {"generation": 1, "position": position(5)},
        change("u", 20, before=case("repaired"), after=case("repaired", "C", "lost")),
        snapshot(case("repaired", "O", "wrong too")) | {"generation": 2, "position": position(50)},
        snapshot(case("repaired", "O", "right")) | {"generation": 3, "position": position(50)},
        change("u", 60, before=case("repaired"), after=case("repaired", "C", "right")),
        # Committed exactly at the point of the batch: that does not show it.
        snapshot(case("at")) | {"generation": 1, "position": position(5)},
        snapshot(case("at")) | {"generation": 2, "position": position(50)},
        change("u", 50, before=case("at"), after=case("at", "C")),
    ]
    features = ChangeFeatures(generations=True)
    inputs = {
        OldCase: changes_table(spark, OldCase, rows, line=Batches(tuple(places)), features=features)
    }
    row_ends = announced_rows(translate_changes(Cases, inputs))
    assert of(row_ends, "kept")[1] == ("u", 10, "", ["Closed:kept:n"])
    assert ("u", 50, "", ["Closed:at:n"]) in of(row_ends, "at")
    assert sorted(of(row_ends, "repaired")) == sorted(
        [
            ("r", 5, "shown-by-a-later-batch", []),
            ("u", 20, "shown-by-a-later-batch", []),
            ("r", 50, "shown-by-a-later-batch", []),
            ("r", 50, "", ["Opened:repaired:right"]),
            ("u", 60, "", ["Closed:repaired:right"]),
        ]
    )


def test_a_row_that_two_batches_show_is_one_row_under_its_new_key_too(spark: SparkSession) -> None:
    places = [
        BatchPlace("first", 1, PostgresPosition(5), "5", "a", {}),
        BatchPlace("repair", 2, PostgresPosition(50), "50", "b", {}),
    ]
    first = {"generation": 1, "position": position(5)}
    repair = {"generation": 2, "position": position(50)}
    rows = [
        snapshot(case("m", note="wrong")) | first,
        snapshot(case("m", note="right")) | repair,
        renamed(60, case("m", note="right"), case("n", note="right")),
        snapshot(case("p", note="wrong")) | first,
        renamed(20, case("p", note="wrong"), case("q", note="wrong")),
        snapshot(case("q", note="right")) | repair,
        change("u", 60, before=case("q", note="right"), after=case("q", "C", "right")),
    ]
    features = ChangeFeatures(generations=True, renames=True)
    changes = changes_table(spark, OldCase, rows, line=Batches(tuple(places)), features=features)
    announced = [
        event
        for row in announced_rows(translate_changes(Cases, {OldCase: changes}))
        for event in row[4]
    ]
    assert sorted(announced) == ["Closed:q:right", "Opened:n:right", "Opened:q:right"]


def test_an_id_that_another_had_is_never_shared(spark: SparkSession) -> None:
    rows = [
        # b gets the number of a, which is gone: they stay two cases.
        snapshot(case("a")),
        snapshot(case("b")),
        change("d", 10, before=case("a")),
        renamed(20, case("b"), case("a")),
        change("u", 21, before=case("a"), after=case("a", "C")),
        # x and y change places: each goes on under the other's number.
        snapshot(case("x", note="was x")),
        snapshot(case("y", note="was y")),
        renamed(30, case("x", note="was x"), case("t", note="was x")),
        renamed(31, case("y", note="was y"), case("x", note="was y")),
        renamed(32, case("t", note="was x"), case("y", note="was x")),
        change("u", 33, before=case("y", note="was x"), after=case("y", "C", "was x")),
        # k dies, is born again, and only the second goes on as m.
        change("c", 40, after=case("k", note="first")),
        change("d", 41, before=case("k", note="first")),
        change("c", 42, after=case("k", note="second")),
        renamed(43, case("k", note="second"), case("m", note="second")),
    ]
    features = ChangeFeatures(renames=True, partial=True)
    inputs = {
        OldCase: changes_table(
            spark, OldCase, rows, consistent_point=position(5), features=features
        )
    }
    announced = [
        (row[2], event)
        for row in announced_rows(translate_changes(Cases, inputs))
        for event in row[4]
    ]
    assert [one for one in announced if one[0] <= 21 and "was" not in one[1]] == [
        (0, "Opened:a:n"),
        (0, "Opened:b:n"),
        (10, "Dropped:a"),
        (20, "Opened:a:n"),
        (20, "Dropped:b"),
        (21, "Closed:a:n"),
    ]
    assert [e for _, e in announced if "was" in e] == [
        "Opened:y:was x",
        "Opened:x:was y",
        "Closed:y:was x",
    ]
    assert [(at, e) for at, e in announced if at >= 40] == [
        (40, "Opened:k:first"),
        (41, "Dropped:k"),
        (42, "Opened:m:second"),
    ]
