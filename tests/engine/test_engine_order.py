"""The order in which a row's end is decided is the one that the language's reference tells."""

from __future__ import annotations

import datetime as dt
import json
import re

import pyspark.sql.types as T
from pyspark.sql import SparkSession

from cutline.context import Aggregate, Context, Event
from cutline.engine.translate import translate_changes
from cutline.translator import (
    COMMIT,
    Occurrence,
    SourceContract,
    Translator,
    ambiguous,
    column,
    fact,
    ignore,
    lookup,
    part,
    reject,
    rules,
    table,
    todo,
    understood,
)
from support.changes import change, changes_table, position, snapshot

CUT = dt.datetime(2026, 11, 1, 6, 0, tzinfo=dt.UTC)

ENDS = (
    "committed-before-the-snapshot",
    "contract:flaws:startswith",
    "subject-missing",
    "no-prior-image",
    "part-missing:paper",
    "several-rows:twice",
    "lookup-missing:never",
    "rejected",
    "unclear",
    "nothing-to-us",
    "unmapped:open-question",
    "unmapped:policy.status",
    "both:one+other",
    "two-facts-one-key:Moved",
    "payload:Moved.place",
    "Moved",
)
"""The rule of each end; each row below has the flaws of its own end and of all after it."""


class Moved(Event):
    """It moved."""

    place: str


class Stayed(Event):
    """It stayed."""


class Left(Event):
    """It left."""


COVER = Context(
    name="cover",
    doc="Things.",
    aggregates=(Aggregate(name="thing", doc="One.", events=(Moved, Stayed, Left), state={}),),
)


class FlawedThing(SourceContract):
    """One thing; `flaws` holds the numbers of its flaws."""

    no: T.StringType = column(doc="number", nullable=False)
    subject: T.StringType = column(doc="subject")
    status: T.StringType = column(doc="status", classifies=True)
    flaws: T.StringType = column(doc="flaws", str_startswith="sound")
    code: T.StringType = column(doc="code")
    place: T.StringType = column(doc="place")

    class Config:
        metadata = table("adm", "things", key=["no"])


class Paper(SourceContract):
    """The paper of a thing."""

    subject: T.StringType = column(doc="subject", nullable=False)

    class Config:
        metadata = table("archive", "papers", key=["subject"])


class Code(SourceContract):
    """A code of a thing."""

    row: T.LongType = column(doc="row", nullable=False)
    code: T.StringType = column(doc="code")

    class Config:
        metadata = table("adm", "codes", key=["row"])


def flawed(row, end: str):
    return row.policy.flaws.contains(f"<{end}>")


class FlawedThings(Translator):
    context, aggregate, version = COVER, "thing", "1.0.0"

    policy = part(FlawedThing, subject="subject")
    paper = part(Paper, subject="subject")
    twice = lookup(Code, on="code", by="code")
    never = lookup(Code, on="code", by="code", required=True)

    # Declared backwards: kinds have their order, whatever stands first.
    @todo("open-question")
    def question(self, row):
        return flawed(row, "unmapped:open-question")

    @ignore("nothing-to-us")
    def nothing(self, row):
        return flawed(row, "nothing-to-us")

    @ambiguous("unclear")
    def unclear(self, row):
        return flawed(row, "unclear")

    @reject("rejected")
    def rejected(self, row):
        return flawed(row, "rejected")

    @understood("known")
    def known_status(self, row):
        return row.policy.status == "known"

    @fact(Stayed, excludes="other")
    def one(self, row):
        return Occurrence(when=flawed(row, "both:one+other"), time_basis=COMMIT)

    @fact(Left)
    def other(self, row):
        return Occurrence(when=flawed(row, "both:one+other"), time_basis=COMMIT)

    @fact(Moved)
    def moved(self, row):
        return Occurrence(time_basis=COMMIT, data={"place": row.policy.place})

    @fact(Moved)
    def moved_too(self, row):
        return Occurrence(
            when=flawed(row, "two-facts-one-key:Moved"),
            time_basis=COMMIT,
            data={"place": row.policy.place},
        )


def flawed_thing(first: int) -> dict[str, object]:
    """A thing with the flaw of the end `first`, and with those of all ends after it."""
    flaws = ENDS[first:]
    code = "none" if "lookup-missing:never" in flaws else "once"
    return {
        "no": f"{first:02}",
        "subject": None if "subject-missing" in flaws else f"s{first:02}",
        "status": "odd" if "unmapped:policy.status" in flaws else "known",
        "flaws": "".join(f"<{f}>" for f in flaws)
        if "contract:flaws:startswith" in flaws
        else "sound" + "".join(f"<{f}>" for f in flaws),
        "code": "double" if "several-rows:twice" in flaws else code,
        "place": None if "payload:Moved.place" in flaws else "here",
    }


def test_of_all_that_is_wrong_with_a_row_the_first_in_the_order_is_its_end(
    spark: SparkSession,
) -> None:
    changes, papers = [], []
    for first, end in enumerate(ENDS):
        op = "u" if first <= ENDS.index("no-prior-image") else "c"
        commit = 2 if end == "committed-before-the-snapshot" else 10 + first
        changes.append(change(op, commit, after=flawed_thing(first)))
        if first > ENDS.index("part-missing:paper"):
            papers.append(snapshot({"subject": f"s{first:02}"}))
    codes = [snapshot({"row": n, "code": c}) for n, c in enumerate(("once", "double", "double"))]
    inputs = {
        FlawedThing: changes_table(spark, FlawedThing, changes, consistent_point=position(5)),
        Paper: changes_table(spark, Paper, papers),
        Code: changes_table(spark, Code, codes),
    }
    rows = translate_changes(FlawedThings, inputs).where("table = 'things'").collect()
    ends = {int(json.loads(r["key"])[0]): r["rule"] for r in rows}
    assert [ends[n] for n in range(len(ENDS))] == list(ENDS)


def test_the_reference_tells_the_ends_in_that_order() -> None:
    reference = " ".join((rules.__doc__ or "").split())
    at = 0
    for end in ENDS[:-1]:
        assert _documented_end(end) in reference[at:], end
        at = reference.index(_documented_end(end), at)


def _documented_end(end: str) -> str:
    """How the reference speaks of an end."""
    kinds = {"rejected": "@reject", "unclear": "@ambiguous", "nothing-to-us": "@ignore"}
    if end in kinds:
        return f"`{kinds[end]}`"
    if end == "unmapped:open-question":
        return "unmapped:<rule>"
    if end == "unmapped:policy.status":
        return "unmapped:<column>"
    return re.sub(r":.*", ":<", end)
