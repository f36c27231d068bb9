"""The text of a subject: rows of two subjects never have one text between them."""

from __future__ import annotations

import json

import pyspark.sql.types as T

from cutline.context import Aggregate, Context, Event, count
from cutline.engine.translate import translate_changes
from cutline.tables.event import COMMIT
from cutline.translator import Occurrence, SourceContract, Translator, column, fact, part, table
from support.changes import change, given, position, snapshot


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
    read = {LineRow: given(spark, LineRow, [snapshot(row) for row in SLASHES])}
    assert ends(Lines, read) == expected
    reasons = {r["reason"] for r in translate_changes(Lines, read).collect() if not r["events"]}
    assert reasons == {
        "the row does not say which subject it belongs to: a column of it is null, or holds "
        '"/", which joins its columns'
    }
    streamed = [change("c", 10 + i, after=row) for i, row in enumerate(SLASHES)]
    logged = {LineRow: given(spark, LineRow, streamed, consistent_point=position(1))}
    assert ends(Lines, logged) == expected
    assert ends(LinesWithNotes, read | {NoteRow: given(spark, NoteRow, [])}) == expected


def test_a_deletion_with_a_slash_ends_no_subject_of_its_text(spark) -> None:
    changes = [
        change("c", 10, after=line("x", "z")),
        change("d", 20, before=line("x/y", "z")),
    ]
    inputs = {LineRow: given(spark, LineRow, changes, consistent_point=position(1))}
    assert ends(Lines, inputs) == [
        ("x", "z", "Placed", ["x/z"]),
        ("x/y", "z", "subject-missing", []),
    ]


def test_a_subject_of_one_column_may_hold_a_slash_and_an_event_of_several_may_not(spark) -> None:
    rows = [snapshot(row) for row in (line("a/b", "c"), line("a", "c"))]
    inputs = {LineRow: given(spark, LineRow, rows)}
    for translator in (Shelves, ShelvesInPython):
        assert ends(translator, inputs) == [
            ("a", "c", "Noted", ["a/c"]),
            ("a/b", "c", "payload:Noted:subject-missing", []),
        ]
