"""Cases on a desk and their papers: contracts, translators, rows, and what is told of them."""

from __future__ import annotations

import json
from typing import Any

import pyspark.sql.types as T
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.context import Aggregate, Context, Event, last_of_types
from cutline.context.aggregate import SPLITS
from cutline.engine.restore import LEFT_SUBJECT
from cutline.translator import (
    EACH,
    Occurrence,
    SourceContract,
    Translator,
    changed,
    column,
    fact,
    part,
    removed,
    table,
)
from support.changes import change


class Opened(Event):
    """A case was opened."""

    note: str | None = None


class Closed(Event):
    """A case was closed."""

    note: str | None = None


class Noted(Event):
    """A case's note was changed."""

    note: str | None = None


class Dropped(Event):
    """A case was dropped."""


CASE = Aggregate(
    name="case",
    doc="One case.",
    events=(Opened, Noted, Closed, Dropped),
    state={"status": last_of_types({Opened: "open", Closed: "closed"})},
)
DESK = Context("desk", "A desk.", (CASE,))
SPLIT_DESK = Context(
    "splitdesk",
    "A desk where another number is another case.",
    (Aggregate("case", "One case.", CASE.events, CASE.state, renamed=SPLITS),),
)


class OldCase(SourceContract):
    """One row is one case."""

    no: T.StringType = column(doc="number", nullable=False)
    status: T.StringType = column(doc="status")
    note: T.StringType = column(doc="note")

    class Config:
        metadata = table("old", "cases", key=["no"])


class OldPaper(SourceContract):
    """One row is one paper of a case."""

    id: T.LongType = column(doc="number", nullable=False)
    case: T.StringType = column(doc="case", nullable=False)
    signed: T.BooleanType = column(doc="signed")

    class Config:
        metadata = table("old", "papers", key=["id"])


class Cases(Translator):
    """Cases of one table."""

    context = DESK
    aggregate = "case"
    version = "1.0.0"
    source = OldCase
    subject = "no"

    @fact(Opened)
    def opened(self, row):
        return Occurrence(when=F.lit(True), time_basis="commit", data={"note": row.note})

    @fact(Closed)
    def closed(self, row):
        return Occurrence(when=row.status == "C", time_basis="commit", data={"note": row.note})

    @changed(Noted, of=["note"])
    def noted(self, row):
        return Occurrence(when=F.lit(True), time_basis="commit", data={"note": row.note})

    @removed(Dropped)
    def dropped(self, row):
        return Occurrence(when=False, time_basis="commit", data={})


class EachOfCases(Cases):
    """The same, where each step of a row has a meaning."""

    within_transaction = EACH


class SplitCases(Cases):
    """The same, where another number is another case."""

    context = SPLIT_DESK


class PaperCases(Translator):
    """Cases that are closed when their paper is signed."""

    context = DESK
    aggregate = "case"
    version = "1.0.0"
    case = part(OldCase, subject="no")
    paper = part(OldPaper, subject="case", required=False)

    @fact(Opened)
    def opened(self, row):
        return Occurrence(when=F.lit(True), time_basis="commit", data={"note": row.case.note})

    @fact(Closed)
    def closed(self, row):
        return Occurrence(when=row.paper.signed, time_basis="commit", data={})

    @removed(Dropped, part="case")
    def dropped(self, row):
        return Occurrence(when=False, time_basis="commit", data={})

    @removed(Noted, part="paper")
    def unsigned(self, row):
        return Occurrence(when=False, time_basis="commit", data={})


def case(no: str, status: str = "O", note: str | None = "n") -> dict[str, Any]:
    return {"no": no, "status": status, "note": note}


def announced_rows(frame: DataFrame) -> list[tuple[Any, ...]]:
    """(key, op, place, rule, announced as type:subject[:note]) by position and arrival."""
    rows = sorted(
        frame.collect(), key=lambda r: (r["position"], r["key"] or "", r["op"], r["rule"])
    )
    return [
        (
            ",".join(str(k) for k in json.loads(r["key"])),
            r["op"] + ("*" if r[LEFT_SUBJECT] else ""),
            int(r["position"][:20]),
            r["rule"] if not r["events"] else "",
            [_named(e) for e in r["events"]],
        )
        for r in rows
    ]


def _named(event: Any) -> str:
    note = json.loads(event["data"]).get("note")
    return f"{event['type']}:{event['subject']}" + (f":{note}" if note else "")


def of(frame: list[tuple[Any, ...]], key: str) -> list[tuple[Any, ...]]:
    """The rows of a key, without it."""
    return [row[1:] for row in frame if row[0] == key]


def renamed(at: int, old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    return change("u", at, before=old, after=new) | {"old_key": json.dumps([old["no"]])}


def paper(id: int, no: str, signed: bool = False) -> dict[str, Any]:
    return {"id": id, "case": no, "signed": signed}
