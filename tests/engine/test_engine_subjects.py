"""The text of a subject: rows of two subjects never have one text between them."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from typing import Annotated

import pyspark.sql.types as T

from cutline.context import Aggregate, Context, Event, count
from cutline.engine.translate import translate_changes
from cutline.tables.event import COMMIT
from cutline.translator import Occurrence, SourceContract, Translator, column, fact, part, table
from support.changes import change, changes_table, position, snapshot


class Placed(Event):
    """A line was placed."""

    item: str | None = None


class Noted(Event):
    """A note was written about a shelf."""


LINE = Aggregate(name="line", doc="One line.", events=(Placed,), state={"n": count(Placed)})
SHELF = Aggregate(name="shelf", doc="One shelf.", events=(Noted,), state={"n": count(Noted)})
STORE = Context(name="store", doc="A store.", aggregates=(LINE, SHELF))


class LineRow(SourceContract):
    """One line."""

    order: T.StringType = column(doc="its order", nullable=False)
    line: T.StringType = column(doc="its name in the order", nullable=False)

    class Config:
        metadata = table("shop", "lines", key=["order", "line"])


class NoteRow(SourceContract):
    """One note on a line."""

    order: T.StringType = column(doc="its order", nullable=False)
    line: T.StringType = column(doc="its name in the order", nullable=False)

    class Config:
        metadata = table("shop", "notes", key=["order", "line"])


class Lines(Translator):
    """Lines, by two columns."""

    context, aggregate, version = STORE, "line", "1.0.0"
    source, subject = LineRow, ("order", "line")

    @fact(Placed)
    def placed(self, row):
        return Occurrence(time_basis=COMMIT, data={"item": row.line})


class LinesWithNotes(Translator):
    """Lines of two tables, by two columns."""

    context, aggregate, version = STORE, "line", "1.0.0"
    lines = part(LineRow, subject=("order", "line"))
    notes = part(NoteRow, subject=("order", "line"), required=False)

    @fact(Placed)
    def placed(self, row):
        return Occurrence(time_basis=COMMIT, data={"item": row.lines.line})


class Shelves(Translator):
    """Lines by their order, and shelves by two columns, in columns and in Python."""

    context, aggregate, version = STORE, "line", "1.0.0"
    source, subject = LineRow, "order"

    @fact(Noted)
    def noted(self, row):
        return Occurrence(time_basis=COMMIT, subject=(row.order, row.line))


class ShelvesInPython(Shelves):
    """The same, by a method that takes values."""

    @fact(Noted, per_row=True)
    def noted(self, row):
        return Occurrence(time_basis=COMMIT, subject=(row.order, row.line))


def line(order, name):
    return {"order": order, "line": name}


SLASHES = [line("x/y", "z"), line("x", "y/z"), line("x", "z")]


def ends(translator, inputs):
    rows = translate_changes(translator, inputs).collect()
    return sorted(
        (*json.loads(r["key"]), r["rule"], [e["subject"] for e in r["events"]]) for r in rows
    )


def test_a_row_with_a_slash_in_one_of_several_columns_is_for_a_person(spark) -> None:
    expected = [
        ("x", "y/z", "subject-missing", []),
        ("x", "z", "Placed", ["x/z"]),
        ("x/y", "z", "subject-missing", []),
    ]
    read = {LineRow: changes_table(spark, LineRow, [snapshot(row) for row in SLASHES])}
    assert ends(Lines, read) == expected
    reasons = {r["reason"] for r in translate_changes(Lines, read).collect() if not r["events"]}
    assert reasons == {
        "the row does not say which subject it belongs to: a column of it is null, or holds "
        '"/", which joins its columns'
    }
    streamed = [change("c", 10 + i, after=row) for i, row in enumerate(SLASHES)]
    logged = {LineRow: changes_table(spark, LineRow, streamed, consistent_point=position(1))}
    assert ends(Lines, logged) == expected
    assert ends(LinesWithNotes, read | {NoteRow: changes_table(spark, NoteRow, [])}) == expected


def test_a_deletion_with_a_slash_ends_no_subject_of_its_text(spark) -> None:
    changes = [
        change("c", 10, after=line("x", "z")),
        change("d", 20, before=line("x/y", "z")),
    ]
    inputs = {LineRow: changes_table(spark, LineRow, changes, consistent_point=position(1))}
    assert ends(Lines, inputs) == [
        ("x", "z", "Placed", ["x/z"]),
        ("x/y", "z", "subject-missing", []),
    ]


def test_a_subject_of_one_column_may_hold_a_slash_and_an_event_of_several_may_not(spark) -> None:
    rows = [snapshot(row) for row in (line("a/b", "c"), line("a", "c"))]
    inputs = {LineRow: changes_table(spark, LineRow, rows)}
    for translator in (Shelves, ShelvesInPython):
        assert ends(translator, inputs) == [
            ("a", "c", "Noted", ["a/c"]),
            ("a/b", "c", "payload:Noted:subject-missing", []),
        ]


class TillRow(SourceContract):
    """One value of each type that a subject may have."""

    no: T.StringType = column(doc="its number", nullable=False)
    flag: T.BooleanType = column(doc="open or not")
    moment: T.TimestampType = column(doc="when")
    clock: T.TimestampNTZType = column(doc="when, by the clock on the wall")
    day: T.DateType = column(doc="the day")
    amount: Annotated[T.DecimalType, 12, 8] = column(doc="what was paid")
    pieces: T.LongType = column(doc="how many")
    code: T.BinaryType = column(doc="its code")
    weight: T.DoubleType = column(doc="its weight")
    mass: T.FloatType = column(doc="its mass")

    class Config:
        metadata = table("shop", "tills", key=["no"])


def till(no, second, microsecond, amount, flag):
    clock = dt.datetime(2026, 1, 2, 3, 4, second, microsecond)
    return snapshot(
        {
            "no": no,
            "flag": flag,
            "moment": clock.replace(tzinfo=dt.UTC),
            "clock": clock,
            "day": dt.date(986, 1, 2),
            "amount": Decimal(amount),
            "pieces": -7,
            "code": "é".encode(),
            "weight": 1e20,
            "mass": 0.1,
        }
    )


class Tills(Translator):
    """Notes on what a till has in all columns that may be a subject's."""

    context, aggregate, version = STORE, "line", "1.0.0"
    source, subject = TillRow, "no"

    @fact(Noted)
    def noted(self, row):
        parts = (row.flag, row.moment, row.clock, row.day, row.amount, row.pieces, row.code)
        return Occurrence(time_basis=COMMIT, subject=parts)


class TillsInPython(Tills):
    """The same, by a method that takes values."""

    @fact(Noted, per_row=True)
    def noted(self, row):
        parts = (row.flag, row.moment, row.clock, row.day, row.amount, row.pieces, row.code)
        return Occurrence(time_basis=COMMIT, subject=parts)


class TillsByWeight(Tills):
    """By a method that takes values of floating point."""

    @fact(Noted, per_row=True)
    def noted(self, row):
        subject = row.weight if row.flag else row.mass
        return Occurrence(time_basis=COMMIT, subject=subject)


def test_a_subject_in_python_has_the_text_that_it_has_in_columns(spark) -> None:
    rows = [till("1", 5, 120000, "0.00000001", True), till("2", 0, 0, "100", False)]
    inputs = {TillRow: changes_table(spark, TillRow, rows)}
    in_columns = ends(Tills, inputs)
    assert ends(TillsInPython, inputs) == in_columns
    first, second = "2026-01-02 03:04:05.12", "2026-01-02 03:04:00"
    assert in_columns == [
        ("1", "Noted", [f"true/{first}/{first}/0986-01-02/0.00000001/-7/é"]),
        ("2", "Noted", [f"false/{second}/{second}/0986-01-02/100.00000000/-7/é"]),
    ]
    assert ends(TillsByWeight, inputs) == [
        ("1", "per-row:noted:TypeError", []),
        ("2", "per-row:noted:TypeError", []),
    ]
