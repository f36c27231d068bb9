"""Decision 0010: a fact rises where the subject's last sound image did not say its name."""

from __future__ import annotations

import datetime as dt
import json
from itertools import pairwise

import pyspark.sql.types as T
import pytest
from pyspark.sql import SparkSession

from cutline.context import Aggregate, Context, Event
from cutline.engine.translate import translate_changes
from cutline.translator import (
    COMMIT,
    Occurrence,
    SourceContract,
    Translator,
    column,
    fact,
    ignore,
    part,
    reject,
    table,
)
from support.changes import change, changes_table, position, snapshot

CUT = dt.datetime(2026, 11, 1, 6, 0, tzinfo=dt.UTC)
MARCH, JUNE = (dt.datetime(2026, m, 1, tzinfo=dt.UTC) for m in (3, 6))


class Bound(Event):
    """A policy was bound."""

    holder: str


class Lapsed(Event):
    """A policy lapsed."""


class Rested(Event):
    """A policy rests."""


class Kept(Event):
    """A shelf keeps a policy's papers."""


COVER = Context(
    name="cover",
    doc="Policies.",
    aggregates=(
        Aggregate(name="policy", doc="One policy.", events=(Bound, Lapsed, Rested), state={}),
        Aggregate(name="shelf", doc="One shelf.", events=(Kept,), state={}),
    ),
)


class OldPolicy(SourceContract):
    """One policy."""

    no: T.StringType = column(doc="number", nullable=False)
    status: T.StringType = column(doc="letter")
    holder: T.StringType = column(doc="holder", ne="nobody")
    lapsed_at: T.TimestampType = column(doc="lapsed")
    shelf: T.StringType = column(doc="where its papers are")

    class Config:
        metadata = table("adm", "policies", key=["no"])


class OldPaper(SourceContract):
    """The signed paper of a policy."""

    no: T.StringType = column(doc="policy", nullable=False)

    class Config:
        metadata = table("archive", "papers", key=["no"])


class Policies(Translator):
    context, aggregate, version = COVER, "policy", "1.0.0"
    source, subject = OldPolicy, "no"

    @reject("unreadable")
    def unreadable(self, row):
        """Nobody can read it."""
        return row.status == "?"

    @ignore("quote")
    def quote(self, row):
        """Nobody is bound."""
        return row.status == "Q"

    @fact(Bound)
    def bound(self, row):
        return Occurrence(time_basis=COMMIT, data={"holder": row.holder})

    @fact(Lapsed, many=True, transient=True)
    def lapsed(self, row):
        return Occurrence(when=row.lapsed_at.isNotNull(), at=row.lapsed_at)

    @fact(Rested, transient=True)
    def rested(self, row):
        return Occurrence(when=row.status == "B", time_basis=COMMIT)

    @fact(Kept, transient=True)
    def kept(self, row):
        return Occurrence(when=row.shelf.isNotNull(), time_basis=COMMIT, subject=("de", row.shelf))


class SignedPolicies(Translator):
    context, aggregate, version = COVER, "policy", "1.0.0"
    policy = part(OldPolicy, subject="no")
    paper = part(OldPaper, subject="no")

    @fact(Bound)
    def bound(self, row):
        return Occurrence(time_basis=COMMIT, data={"holder": row.policy.holder})


def policy(no: str, status: str = "A", **values: object) -> dict[str, object]:
    return {"no": no, "status": status, "holder": "H"} | values


# The images of one subject, in order, and what each announces; the first is of the snapshot.
HISTORIES = {
    "unreadable in between": [
        (policy("u"), ["Bound"]),
        (policy("u", "?", lapsed_at=MARCH), []),
        (policy("u", "L", lapsed_at=MARCH), ["Lapsed"]),
    ],
    "a payload that is mended": [
        (policy("m", holder=None), []),
        (policy("m"), ["Bound"]),
        (policy("m"), []),
    ],
    "a day that moves": [
        (policy("d", "L", lapsed_at=MARCH), ["Bound", "Lapsed"]),
        (policy("d", "L", lapsed_at=JUNE), ["Lapsed"]),
    ],
    "a subject that moves": [
        (policy("s", shelf="1"), ["Bound", "Kept"]),
        (policy("s", shelf="2"), ["Kept"]),
        (policy("s", shelf=None), []),
    ],
    "a quote that is bound": [
        (policy("q", "Q"), []),
        (policy("q"), ["Bound"]),
    ],
    "held, not, and held again": [
        (policy("h", "B"), ["Bound", "Rested"]),
        (policy("h"), []),
        (policy("h", "B"), ["Rested"]),
    ],
}


def trails(frame) -> dict[str, list[list[str]]]:
    """By key, the types of the events of each image."""
    types_by_key: dict[str, list[list[str]]] = {}
    for row in sorted(frame.collect(), key=lambda r: (r["position"], r["table"])):
        types = [e["type"] for e in row["events"]]
        types_by_key.setdefault(json.loads(row["key"])[0], []).append(types)
    return types_by_key


@pytest.fixture(scope="module")
def trail_by_policy(spark: SparkSession) -> dict[str, list[list[str]]]:
    rows = [
        change("u", 70, after=policy("stranger", "B")),
        change("u", 80, after=policy("stranger", "B", lapsed_at=JUNE)),
        change("u", 90, before=policy("known", "B"), after=policy("known", "B", lapsed_at=JUNE)),
    ]
    for history in HISTORIES.values():
        images = [image for image, _ in history]
        rows.append(snapshot(images[0]))
        rows += [
            change("u", 10 * i, before=before, after=after)
            for i, (before, after) in enumerate(pairwise(images), 1)
        ]
    inputs = {OldPolicy: changes_table(spark, OldPolicy, rows, consistent_point=position(5))}
    return trails(translate_changes(Policies, inputs))


def test_a_row_that_broke_its_contract_is_told_when_it_is_mended(spark: SparkSession) -> None:
    rows = [
        snapshot(policy("seen", holder="nobody")),
        change("u", 10, before=policy("seen", holder="nobody"), after=policy("seen")),
        change("c", 20, after=policy("made", holder="nobody")),
        change("u", 30, before=policy("made", holder="nobody"), after=policy("made")),
    ]
    # Without a snapshot: what the image before says was not sound either.
    rows.append(change("u", 40, before=policy("late", holder="nobody"), after=policy("late")))
    inputs = {OldPolicy: changes_table(spark, OldPolicy, rows, consistent_point=position(5))}
    mended = trails(translate_changes(Policies, inputs))
    assert mended == {"seen": [[], ["Bound"]], "made": [[], ["Bound"]], "late": [["Bound"]]}


@pytest.mark.parametrize("history", HISTORIES.values(), ids=list(HISTORIES))
def test_a_fact_rises_against_the_last_sound_image(trail_by_policy, history) -> None:
    assert trail_by_policy[history[0][0]["no"]] == [events for _, events in history]


def test_of_a_row_that_nobody_knew_the_next_change_tells_all_that_holds(trail_by_policy) -> None:
    assert trail_by_policy["stranger"] == [[], ["Bound", "Lapsed", "Rested"]]
    assert trail_by_policy["known"] == [["Lapsed"]]


def test_what_waited_for_a_part_is_told_when_it_comes(spark: SparkSession) -> None:
    policies = [snapshot(policy("p")), change("u", 10, before=policy("p"), after=policy("p", "B"))]
    papers = [change("c", 20, after={"no": "p"})]
    inputs = {
        contract: changes_table(spark, contract, rows, consistent_point=position(5))
        for contract, rows in ((OldPolicy, policies), (OldPaper, papers))
    }
    assert trails(translate_changes(SignedPolicies, inputs)) == {"p": [[], [], ["Bound"]]}
