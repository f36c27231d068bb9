"""Looked-up rows that were quarantined: they are not absent, and what they were before is over."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pyspark.sql.types as T
import pytest
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F

from cutline.context import Aggregate, Context, Event
from cutline.cut import CommitTimestamp
from cutline.engine.compose.lookups.as_of_commit import VERSIONS_IN_A_CHAPTER
from cutline.engine.restore import ChangeFeatures
from cutline.engine.translate import Inputs, quarantined_tables, translate_changes
from cutline.translator import (
    COMMIT,
    HOLD,
    INFER,
    Occurrence,
    SourceContract,
    Translator,
    changed,
    column,
    lookup,
    table,
)
from support.changes import change, changes_table, position, snapshot


class Weighed(Event):
    """A crate was weighed, with what its quay was called then."""

    no: str
    turn: int
    quay: str | None = None


HARBOUR = Context(
    name="harbour",
    doc="Crates.",
    aggregates=(Aggregate(name="crate", doc="One crate.", events=(Weighed,), state={}),),
)


class Crate(SourceContract):
    """One row is one crate."""

    no: T.StringType = column(doc="number", nullable=False)
    quay: T.StringType = column(doc="where it stands")
    day: T.DateType = column(doc="the day it came")
    turn: T.LongType = column(doc="counts its changes")

    class Config:
        metadata = table("port", "crates", key=["no"])


class Quay(SourceContract):
    """One row is one quay, in the crates' own source."""

    id: T.StringType = column(doc="id", nullable=False)
    pier: T.StringType = column(doc="the pier it is at")
    name: T.StringType = column(doc="what it is called", ne="?")
    since: T.DateType = column(doc="the first day of that name")
    until: T.DateType = column(doc="the day after the last")

    class Config:
        metadata = table("port", "quays", key=["id"])


class FarQuay(Quay):
    """The same, in another source."""

    class Config:
        metadata = table("registry", "quays", key=["id"])


def crates(of: type[SourceContract] = Quay, **terms: Any) -> type[Translator]:
    class Crates(Translator):
        """Each change of a crate tells what its quay is called."""

        context, aggregate, version = HARBOUR, "crate", "1.0.0"
        source, subject = Crate, "no"
        place = lookup(of, on="quay", **terms)

        @changed(Weighed, of="turn", opening=True)
        def weighed(self, row):
            name = row.place.name if not terms.get("many") else F.to_json(row.place)
            data = {"no": row.no, "turn": row.turn, "quay": name}
            return Occurrence(time_basis=COMMIT, data=data, key=row.turn)

    return Crates


def crate(turn: int, quay: str = "q1", day: str | None = None) -> dict[str, Any]:
    return {
        "no": "c1",
        "quay": quay,
        "day": None if day is None else dt.date.fromisoformat(day),
        "turn": turn,
    }


def quay(name: str, id: str = "q1", pier: str = "east", **columns: Any) -> dict[str, Any]:
    return {"id": id, "pier": pier, "name": name, **columns}


def at_turns(*turns: int, quay: str = "q1") -> list[dict[str, Any]]:
    return [change("u" if i else "c", at, after=crate(at, quay)) for i, at in enumerate(turns)]


def ends(rows: DataFrame) -> list[Any]:
    """What each change of the crate tells, in order: its quay's name, or the rule why nothing."""
    return _in_order(rows.where("table = 'crates'").collect())


def _in_order(crate_rows: Sequence[Row]) -> list[Any]:
    placed: list[tuple[str, Any]] = []
    for row in crate_rows:
        events = [json.loads(event["data"]) for event in row["events"]]
        placed.append((row["position"], events[0].get("quay") if events else row["rule"]))
    return [end for _, end in sorted(placed, key=lambda pair: pair[0])]


def inputs_of(
    spark: SparkSession,
    rows: Sequence[Any],
    quays: Sequence[Any],
    of: type[SourceContract] = Quay,
    **cut: Any,
) -> Inputs:
    return {
        Crate: changes_table(spark, Crate, rows, consistent_point=position(5), **cut),
        of: changes_table(spark, of, quays, consistent_point=position(5), **cut),
    }


def translated(
    spark: SparkSession,
    translator: type[Translator],
    rows: Sequence[Any],
    quays: Sequence[Any],
    of: type[SourceContract] = Quay,
    **cut: Any,
) -> DataFrame:
    return translate_changes(translator, inputs_of(spark, rows, quays, of, **cut))


UNREADABLE = "lookup-unreadable:place"
CUT = CommitTimestamp(dt.datetime(2026, 11, 1, 2, 30, tzinfo=dt.UTC))
BROKEN = [
    snapshot(quay("north")),
    change("u", 20, after=quay("?")),
    change("u", 24, after=quay("?")),
    change("u", 40, after=quay("west")),
    {**change("u", 60, after=quay("")), "defects": ["wrong-type:name"]},
    change("d", 80, before=quay("")),
]
TURNS = (10, 20, 30, 50, 70, 90)


@pytest.mark.parametrize("of", [Quay, FarQuay])
def test_a_row_that_is_quarantined_ends_what_it_was(spark: SparkSession, of: Any) -> None:
    """Until it is mended or deleted, an image that looks it up is quarantined, too."""
    rows = translated(spark, crates(of), at_turns(*TURNS), BROKEN, of)
    assert ends(rows) == ["north", UNREADABLE, UNREADABLE, "west", UNREADABLE, None]


def ends_by_case(
    spark: SparkSession,
    translator: type[Translator],
    turns: Sequence[int],
    cases: Mapping[str, Sequence[Any]],
    **cut: Any,
) -> dict[str, list[Any]]:
    """What the changes of a crate tell in each case, which gives the changes of its quay."""
    rows = [_of_key(turn, case, "no", quay=case) for case in cases for turn in at_turns(*turns)]
    quays = [_of_key(row, case, "id") for case, changes in cases.items() for row in changes]
    crate_rows = translated(spark, translator, rows, quays, **cut).where("table = 'crates'")
    collected = crate_rows.collect()
    return {
        case: _in_order([row for row in collected if row["key"] == json.dumps([case])])
        for case in cases
    }


def _of_key(row: dict[str, Any], key: str, column: str, **more: Any) -> dict[str, Any]:
    """The change of another row, which has this key."""
    images = {
        side: row[side] | {column: key} | more for side in ("before", "after") if row.get(side)
    }
    return row | images


def test_at_the_cut_the_last_change_counts(spark: SparkSession) -> None:
    cases = {str(last): BROKEN[:last] for last in range(2, 7)}
    assert ends_by_case(spark, crates(frozen=True), [10], cases) == {
        case: [{"4": "west", "6": None}.get(case, UNREADABLE)] for case in cases
    }


def read_again(name: str, commit: int) -> dict[str, Any]:
    """A row that a snapshot in the log reads while changes of it are committed."""
    return {**snapshot(quay(name)), "position": position(commit), "logged": True}


BEHIND_CHANGES = {
    "mended": (
        [snapshot(quay("north")), change("u", 20, after=quay("?")), read_again("west", 40)],
        ["north", UNREADABLE, "west"],
    ),
    "mended, first read then": (
        [change("u", 20, after=quay("?")), read_again("west", 40)],
        [None, UNREADABLE, "west"],
    ),
    "mended behind a sound change": (
        [change("c", 8, after=quay("north")), *BROKEN[1:3], read_again("west", 40)],
        ["north", UNREADABLE, "west"],
    ),
    "broken": (
        [change("c", 8, after=quay("north")), read_again("?", 20)],
        ["north", UNREADABLE, UNREADABLE],
    ),
    "read twice, then broken": (
        [snapshot(quay("north")), read_again("north", 20), change("u", 40, after=quay("?"))],
        ["north", "north", UNREADABLE],
    ),
}


@pytest.mark.parametrize("frozen", [False, True])
def test_a_row_that_is_read_behind_changes_stands_where_it_was_read(
    spark: SparkSession, frozen: bool
) -> None:
    quays = {case: changes for case, (changes, _) in BEHIND_CHANGES.items()}
    features = ChangeFeatures(rereads=True)
    translator = crates(frozen=frozen)
    assert ends_by_case(spark, translator, (10, 30, 50), quays, features=features) == {
        case: names[-1:] * 3 if frozen else names for case, (_, names) in BEHIND_CHANGES.items()
    }


@pytest.mark.parametrize("terms", [{}, {"frozen": True}, {"by": "pier"}])
def test_a_quarantined_row_of_a_snapshot_is_not_absent(
    spark: SparkSession, terms: dict[str, Any]
) -> None:
    by_pier = "by" in terms
    quays = [snapshot(quay("?")), snapshot(quay("south", "q2"))]
    inputs = {
        Crate: changes_table(spark, Crate, [snapshot(crate(0, "east" if by_pier else "q1"))]),
        Quay: changes_table(spark, Quay, quays),
    }
    assert ends(translate_changes(crates(**terms), inputs)) == [UNREADABLE]
    of_second = inputs | {Crate: changes_table(spark, Crate, [snapshot(crate(0, "q2"))])}
    assert ends(translate_changes(crates(**terms), of_second)) == [None if by_pier else "south"]


def test_of_a_required_row_that_is_quarantined_the_lookup_says_what_it_means(
    spark: SparkSession,
) -> None:
    """It is missing, as a required part is: the reason says why."""
    by_missing: dict[str, list[Any]] = {}
    reasons: dict[str, set[str]] = {}
    for missing in ("reject", HOLD, INFER):
        translator = crates(required=True, missing=missing)
        rows = translated(spark, translator, at_turns(*TURNS[:5]), BROKEN)
        by_missing[missing] = ends(rows)
        crate_rows = rows.where("table = 'crates'").orderBy("position").collect()
        reasons[missing] = {
            row["reason"] for row in crate_rows if row["disposition"] == "quarantined"
        }
    missing, awaited = "lookup-missing:place", "lookup-awaited:place"
    assert by_missing["reject"] == ["north", missing, missing, "west", missing]
    assert by_missing[HOLD] == ["north", "west", "west", "west", awaited]
    assert by_missing[INFER] == ["north", None, None, "west", None]
    why = (
        "port.quays has a row that the key meets, and that could not be read or breaks its contract"
    )
    assert reasons["reject"] == {why}
    assert reasons[HOLD] == {f"{why}; it is held until a readable one comes"}


@pytest.mark.parametrize("frozen", [False, True])
def test_of_several_rows_each_counts(spark: SparkSession, frozen: bool) -> None:
    quays = [
        snapshot(quay("one", "q1")),
        change("c", 20, after=quay("?", "q2")),
        change("u", 40, after=quay("two", "q2", pier="west")),
    ]
    turns = at_turns(10, 30, 50, quay="east")
    translator = crates(by="pier", many=True, frozen=frozen)
    until = [*quays[:2]] if frozen else quays
    rules = ends(translated(spark, translator, turns, until))
    ids = [[row["id"] for row in json.loads(e)] if e[0] == "[" else e for e in rules]
    assert ids == ([UNREADABLE] * 3 if frozen else [["q1"], UNREADABLE, ["q1"]])


@pytest.mark.parametrize("frozen", [False, True])
def test_a_row_that_does_not_tell_where_it_is_looked_up_is_where_it_was(
    spark: SparkSession, frozen: bool
) -> None:
    lost = {**change("u", 20, after=quay("north", pier=None)), "defects": ["wrong-type:pier"]}
    quays = [snapshot(quay("north")), lost]
    rows = translated(spark, crates(by="pier", frozen=frozen), at_turns(10, 30, quay="east"), quays)
    assert ends(rows) == [UNREADABLE if frozen else "north", UNREADABLE]


def test_of_a_business_time_only_a_row_that_may_hold_then_counts(spark: SparkSession) -> None:
    def named(name: str, id: str, since: str | None, until: str | None) -> dict[str, Any]:
        days = (None if day is None else dt.date.fromisoformat(day) for day in (since, until))
        return quay(name, id, **dict(zip(("since", "until"), days, strict=True)))

    quays = [
        snapshot(named("old", "q1", None, "2020-01-01")),
        snapshot(named("?", "q2", "2020-01-01", "2021-01-01")),
        snapshot(named("new", "q3", "2021-01-01", None)),
    ]
    turned = snapshot(named("?", "q4", "2021-01-01", "2020-01-01"))
    days = ["2019-05-05", "2020-05-05", "2021-05-05"]
    rows = [
        {**change("u" if i else "c", 10 + i, after=crate(i, "east", day))}
        for i, day in enumerate(days)
    ]
    translator = crates(by="pier", as_of="day", valid=("since", "until"))
    assert ends(translated(spark, translator, rows, quays)) == ["old", UNREADABLE, "new"]
    broken = ends(translated(spark, translator, rows, [*quays, turned]))
    assert broken == [UNREADABLE] * 3


def test_a_deletion_that_may_be_after_the_cut_leaves_the_row_in_doubt(spark: SparkSession) -> None:
    """So does any change that no side is known of."""
    quays = [
        snapshot(quay("north")),
        {**change("d", 20, before=quay("north")), "source_time": None},
    ]
    rows = translated(spark, crates(frozen=True), at_turns(10), quays, history=CUT)
    assert ends(rows) == [UNREADABLE]


def test_what_waits_for_a_readable_row_meets_it_in_a_later_chapter(spark: SparkSession) -> None:
    often = 2 * VERSIONS_IN_A_CHAPTER + 3
    quays = [change("c", 10, after=quay("0"))]
    for n in range(1, often):
        quays.append(change("u", 10 + 4 * n, after=quay("?")))
        quays.append(change("u", 12 + 4 * n, after=quay(str(n))))
    rows = at_turns(*(11 + 4 * n for n in range(often)))
    translator = crates(required=True, missing=HOLD)
    assert ends(translated(spark, translator, rows, quays)) == [str(n) for n in range(often)]


SOUND = [
    snapshot(quay("north")),
    change("u", 20, after=quay("west")),
    change("d", 40, before=quay("west")),
]


@pytest.mark.parametrize(
    ("last", "cut", "is_quarantined"),
    [
        ([], {}, False),
        ([change("c", 60, after=quay("?"))], {}, True),
        ([change("c", 60, after=quay("?"))], {"history": CUT}, False),
        ([{**change("c", 60, after=quay("south")), "source_time": None}], {"history": CUT}, True),
    ],
    ids=["sound", "broken", "after the cut", "of an unknown time"],
)
def test_a_table_is_quarantined_if_a_change_up_to_the_cut_is(
    spark: SparkSession, last: Sequence[Any], cut: dict[str, Any], is_quarantined: bool
) -> None:
    inputs = inputs_of(spark, at_turns(10), [*SOUND, *last], **cut)
    rows = quarantined_tables([Quay, Crate], inputs).collect()
    assert [tuple(row) for row in rows] == ([("port", "quays")] if is_quarantined else [])


OF_UNREAD = ("unread_match", "row_state", "last_sound", "goes_on")
"""Columns that lookups need for quarantined rows."""


@pytest.mark.parametrize("terms", [{}, {"frozen": True}, {"by": "pier", "many": True}])
def test_of_a_sound_table_the_plan_is_shorter_and_says_the_same(
    spark: SparkSession, terms: dict[str, Any]
) -> None:
    turns = at_turns(10, 30, 50, quay="east" if "by" in terms else "q1")
    inputs = inputs_of(spark, turns, SOUND)
    of_sound = {**inputs, Quay: replace(inputs[Quay], all_sound=True)}
    whole, shorter = (translate_changes(crates(**terms), tables) for tables in (inputs, of_sound))
    assert ends(shorter) == ends(whole)
    plans = [frame._jdf.queryExecution().optimizedPlan().toString() for frame in (whole, shorter)]
    assert [any(name in plan for name in OF_UNREAD) for plan in plans] == [True, False]
