"""Rules on moves, and lifecycles that do something about one, on literal rows."""

from __future__ import annotations

import json
from itertools import accumulate
from typing import Any, ClassVar

import pyspark.sql.types as T
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from cutline.context import Aggregate, Context, Event
from cutline.engine.announce.candidates import Lineage, candidate_events
from cutline.engine.coverage.moves import move_coverage
from cutline.engine.translate import Inputs, translate_changes
from cutline.errors import ConfigurationError
from cutline.stages.merge import row_findings
from cutline.translator import (
    COMMIT,
    Occurrence,
    SourceContract,
    Translator,
    ambiguous,
    changed,
    column,
    fact,
    ignore,
    lifecycle,
    lookup,
    reject,
    table,
    understood,
)
from support.changes import EXTRACTED, change, changes_table, position, snapshot


class Stored(Event):
    """A parcel lies in store."""

    no: str


class Returned(Event):
    """A parcel came back."""

    identified_by: ClassVar[tuple[str, ...]] = ("turn",)

    no: str
    turn: int
    left_at: int | None = None


class Corrected(Event):
    """A closed parcel had been released by mistake."""

    no: str


POST = Context(
    name="post",
    doc="Parcels.",
    aggregates=(
        Aggregate(name="parcel", doc="One parcel.", events=(Stored, Returned, Corrected), state={}),
    ),
)


def parcels_of(otherwise: str | None = None) -> type[SourceContract]:
    class Parcel(SourceContract):
        """One row is one parcel."""

        no: T.StringType = column(doc="number", nullable=False)
        status: T.StringType = column(doc="letter", isin=["S", "L", "R", "C"])
        turn: T.LongType = column(doc="counts its changes", stable=True)
        back: T.LongType = column(doc="the turn in which it came back")

        class Config:
            metadata = table(
                "till",
                "parcels",
                key=["no"],
                lifecycle=lifecycle(
                    "status",
                    start=["S"],
                    follows={"S": ["L", "R"], "L": ["S"], "R": ["C"]},
                    otherwise=otherwise,
                ),
            )

    return Parcel


Parcel = parcels_of()


class Parcels(Translator):
    """Where a parcel came from says what its status means."""

    context, aggregate, version = POST, "parcel", "1.0.0"
    source, subject = Parcel, "no"

    @reject("left-closed")
    def left_closed(self, row, was):
        """What is closed stays closed."""
        return (was.status == "C") & (row.status != "C")

    @ambiguous("closed-from-store")
    def closed_from_store(self, row, was):
        """It was never released: was it lost, or released in silence?"""
        return (was.status == "S") & (row.status == "C")

    @fact(Stored)
    def stored(self, row):
        return Occurrence(when=row.status == "S", time_basis=COMMIT, data={"no": row.no})

    @fact(Returned)
    def returned(self, row, was):
        return Occurrence(
            when=(was.status == "L") & (row.status == "S"),
            time_basis=COMMIT,
            data={"no": row.no, "turn": row.turn, "left_at": was.turn},
        )

    @fact(Corrected)
    def corrected(self, row, was):
        when = (was.status == "R") & (row.status == "C")
        return Occurrence(when=when, time_basis=COMMIT, data={"no": row.no})


def parcel(status: str, turn: int | None, no: str = "p", back: int | None = None) -> dict[str, Any]:
    return {"no": no, "status": status, "turn": turn, "back": back}


def history(letters: str, no: str = "p", shown: int = 0) -> list[dict[str, Any]]:
    """One row by its statuses, ten commits apart, with a snapshot after so many of them."""
    images = [parcel(letter, turn, no) for turn, letter in enumerate(letters, start=1)]
    rows = [snapshot(images[shown - 1])] if shown else []
    for turn, image in enumerate(images[shown:], start=shown + 1):
        before = images[turn - 2] if turn > 1 else None
        rows.append(change("u" if before else "c", 10 * turn, before=before, after=image))
    return rows


def inputs(spark: SparkSession, rows: list[Any], contract: Any = Parcel) -> Inputs:
    return {contract: changes_table(spark, contract, rows, consistent_point=position(5))}


def ends(frame: Any) -> dict[str, list[str]]:
    """By row, in the order of commits: what each change announced, or the rule that ended it."""
    ends_by_row: dict[str, list[tuple[str, str]]] = {}
    for row in frame.collect():
        types = [e["type"] for e in row["events"]]
        types_or_rule = (
            " ".join(types) if types else "" if row["rule"].startswith("nothing") else row["rule"]
        )
        ends_by_row.setdefault(json.loads(row["key"])[0], []).append(
            (row["position"], types_or_rule)
        )
    return {no: [what for _, what in sorted(each)] for no, each in ends_by_row.items()}


HISTORIES = {
    # A return is told each time, and not to a row that is only touched.
    "SLSSLS": ["Stored", "", "Stored Returned", "", "", "Stored Returned"],
    "SRC": ["Stored", "", "Corrected"],
    # What is closed stays put aside, whatever happens to it, until it is closed again.
    "SRCSSLC": ["Stored", "", "Corrected", *["left-closed"] * 3, ""],
    # The last sound image is S all the time: C is put aside, and R follows from S.
    "SCCRC": ["Stored", *["closed-from-store"] * 2, "", "Corrected"],
    # Put aside after put aside: L is a move from S, not from the C that nobody let through.
    "SCLCS": ["Stored", "closed-from-store", "", "", "left-closed"],
    "C": [""],
}


def test_a_rule_may_ask_where_a_row_came_from(spark: SparkSession) -> None:
    rows = [row for letters in HISTORIES for row in history(letters, letters)]
    assert ends(translate_changes(Parcels, inputs(spark, rows))) == HISTORIES
    assert ends(translate_changes(Parcels, inputs(spark, rows[::-1]))) == HISTORIES


def test_what_was_stands_in_the_payload(spark: SparkSession) -> None:
    rows = translate_changes(Parcels, inputs(spark, history("SLLS"))).collect()
    events = [e for row in rows for e in row["events"] if e["type"] == "Returned"]
    assert [json.loads(e["data"]) for e in events] == [{"no": "p", "turn": 4, "left_at": 3}]


def test_a_snapshot_does_not_show_a_move_and_later_moves_are_the_same(spark: SparkSession) -> None:
    """From each snapshot the moves after it, under the same keys; of those before it, none."""
    letters = "SLSRCSL"
    rows = [row for shown in range(len(letters)) for row in history(letters, f"{shown}", shown)]
    moves_by_snapshot: dict[int, set[tuple[str, str]]] = {}
    for row in translate_changes(Parcels, inputs(spark, rows)).collect():
        shown = int(json.loads(row["key"])[0])
        moves = {(e["type"], e["occurrence"]) for e in row["events"] if e["type"] != "Stored"}
        moves_by_snapshot[shown] = moves_by_snapshot.get(shown, set()) | moves
    whole = [set(), set(), {("Returned", '["3"]')}, set(), {("Corrected", None)}, set(), set()]
    after = [*accumulate(reversed(whole), set.union)][::-1]
    assert {n: sorted(t for t, _ in moves) for n, moves in moves_by_snapshot.items()} == {
        n: sorted(t for t, _ in set().union(*whole[n:])) for n in range(len(letters))
    }
    assert moves_by_snapshot[0] >= moves_by_snapshot[3]
    assert len(after[0]) == 2


def test_a_faulty_move_waits_until_it_can_be_told(spark: SparkSession) -> None:
    """L to S without a turn is no event; touched with one, it is the return from L all the same."""
    rows = [
        change("c", 10, after=parcel("L", 1)),
        change("u", 20, after=parcel("S", None)),
        change("u", 30, after=parcel("S", None)),
        change("u", 40, after=parcel("S", 4)),
    ]
    fault = "payload:Returned.turn"
    assert ends(translate_changes(Parcels, inputs(spark, rows))) == {
        "p": ["", fault, fault, "Stored Returned"]
    }


class Opened(Parcels):
    """A snapshot's row says by another column that it came back."""

    @fact(Returned, opening=True)
    def returned(self, row, was):
        shown = was.status.isNull() & row.back.isNotNull()
        return Occurrence(
            when=((was.status == "L") & (row.status == "S")) | shown,
            time_basis=COMMIT,
            data={"no": row.no, "turn": row.back},
        )


def test_what_a_snapshot_says_of_a_move_is_declared(spark: SparkSession) -> None:
    rows = [snapshot(parcel("S", 3, "back", 3)), snapshot(parcel("S", 3, "never"))]
    expected = {"back": ["Stored Returned"], "never": ["Stored"]}
    assert ends(translate_changes(Opened, inputs(spark, rows))) == expected
    without_changes = {Parcel: changes_table(spark, Parcel, rows)}
    assert ends(translate_changes(Opened, without_changes)) == expected
    assert ends(translate_changes(Parcels, without_changes)) == {
        "back": ["Stored"],
        "never": ["Stored"],
    }


LETTERS = "SLCSSRC"
ALLOWED = ["Stored", "", None, "Stored", "", "", ""]


@pytest.mark.parametrize(
    ("otherwise", "aside"),
    [
        (None, ""),
        ("infer", ""),
        ("reject", "lifecycle:till.parcels.status"),
        ("hold", "lifecycle-awaited:till.parcels.status"),
    ],
)
def test_a_lifecycle_says_what_becomes_of_another_move(
    spark: SparkSession, otherwise: str | None, aside: str
) -> None:
    contract = parcels_of(otherwise)

    class ParcelTurns(Translator):
        """Parcels, each turn of which is told."""

        context, aggregate, version = POST, "parcel", "1.0.0"
        source, subject = contract, "no"

        @changed(Returned, of="turn", opening=True)
        def turned(self, row):
            data = {"no": row.no, "turn": row.turn}
            return Occurrence(at=F.lit("2026-01-01").cast("timestamp"), data=data)

    rows = sorted(
        translate_changes(ParcelTurns, inputs(spark, history(LETTERS), contract)).collect(),
        key=lambda row: row["position"],
    )
    assert [row["finding"] for row in rows] == [
        None,
        None,
        "lifecycle:till.parcels.status",
        "lifecycle:till.parcels.status",
        None,
        None,
        None,
    ]
    confidences = [[e["confidence"] for e in row["events"]] for row in rows]
    doubted = ["inferred"] if otherwise == "infer" else ["exact"]
    if aside:
        assert confidences == [["exact"], ["exact"], [], *[["exact"]] * 4]
        assert [row["rule"] for row in rows][2] == aside
        assert rows[2]["reason"] == ("status went from L to C, which its lifecycle does not allow")
    else:
        assert confidences == [["exact"], ["exact"], doubted, doubted, *[["exact"]] * 3]


def test_a_finding_names_the_event_that_the_row_announced(spark: SparkSession) -> None:
    rows = translate_changes(
        Parcels, inputs(spark, history("SLCS", "x") + history("SLSL", "y"))
    ).cache()
    events = candidate_events(rows, Lineage("post", "eu", "run-1", F.lit(EXTRACTED)))
    findings = row_findings(rows, events).collect()
    assert {(r["subject"], r["type"], r["event_id"]) for r in findings} == {
        ("x", "till.parcels", None),
    }
    astray = translate_changes(Parcels, inputs(spark, history("LRS", "z"))).cache()
    events = candidate_events(astray, Lineage("post", "eu", "run-1", F.lit(EXTRACTED)))
    named = {
        r["reason"]: (r["type"], r["event_id"]) for r in row_findings(astray, events).collect()
    }
    (stored,) = [e["id"] for e in events.collect() if e["type"] == "Stored"]
    assert named == {
        "a row was created with status L, which its lifecycle does not allow": (
            "till.parcels",
            None,
        ),
        "status went from L to R, which its lifecycle does not allow": ("till.parcels", None),
        "status went from R to S, which its lifecycle does not allow": ("Stored", stored),
    }


def test_the_moves_that_were_made_are_counted(spark: SparkSession) -> None:
    rows = [row for letters in ("SLS", "SLSC", "SRCS") for row in history(letters, letters)]
    coverage = move_coverage(Parcels, inputs(spark, rows))
    assert coverage is not None
    named = {
        (r["came_from"], r["value"]): (r["means"], r["rule"], r["rows"]) for r in coverage.collect()
    }
    lifecycle_named = "lifecycle:till.parcels.status"
    assert named == {
        ("S", "L"): ("understood", lifecycle_named, 2),
        ("L", "S"): ("translated", "returned", 2),
        ("S", "R"): ("understood", lifecycle_named, 1),
        ("R", "C"): ("translated", "corrected", 1),
        ("S", "C"): ("ambiguous", "closed-from-store", 1),
        ("C", "S"): ("quarantined", "left-closed", 1),
    }
    assert (
        move_coverage(Parcels, {Parcel: changes_table(spark, Parcel, [snapshot(parcel("S", 1))])})
        is None
    )


def test_moves_are_composed_in_the_exchange_that_is_there(spark: SparkSession) -> None:
    frame = translate_changes(Parcels, inputs(spark, history("SLS")))
    plan = frame._jdf.queryExecution().executedPlan().toString()
    assert plan.count("Exchange hashpartitioning") == 1


class Depot(SourceContract):
    """One row is one depot."""

    letter: T.StringType = column(doc="a status", nullable=False)
    name: T.StringType = column(doc="what it is called")

    class Config:
        metadata = table("till", "depots", key=["letter"])


class Renamed(Parcels):
    """A lookup beside what was is as it was then."""

    depot = lookup(Depot, on="status")

    @fact(Corrected)
    def corrected(self, row, was):
        return Occurrence(
            when=was.depot.name != row.depot.name, time_basis=COMMIT, data={"no": was.depot.name}
        )


def test_lookups_beside_what_was_are_as_they_were_then(spark: SparkSession) -> None:
    depots = [
        snapshot({"letter": "S", "name": "north"}),
        change("u", 15, after={"letter": "S", "name": "south"}),
    ]
    given_both = inputs(spark, history("SSS")) | inputs(spark, depots, Depot)
    rows = translate_changes(Renamed, given_both).where("table = 'parcels'").collect()
    events = [(r["position"], json.loads(e["data"])["no"]) for r in rows for e in r["events"]]
    assert [e for e in events if e[1] != "p"] == [(position(20), "north")]


def wrong(rule: Any) -> None:
    members = {"context": POST, "aggregate": "parcel", "version": "1.0.0", "rule": rule}
    type("Wrong", (Translator,), {**members, "source": Parcel, "subject": "no"})


def test_what_asks_of_a_move_and_cannot_is_refused() -> None:
    def on_move():
        def asks(self, row, was):
            return Occurrence(when=was.status == row.status, time_basis=COMMIT)

        return asks

    def alone(self, row):
        return Occurrence(time_basis=COMMIT, data={"no": row.no})

    def misspelt(self, row, was):
        return was.satus == row.status

    for rule, why in [
        (ignore("kept")(on_move()), "third parameter, but only"),
        (changed(Stored, of="turn")(on_move()), "third parameter, but only"),
        (fact(Stored, per_row=True)(on_move()), "cannot say `per_row`"),
        (fact(Stored, excludes="other")(on_move()), "cannot say `excludes`"),
        (fact(Stored, opening=True)(alone), "asks of none"),
        (reject("kept", opening=True)(alone), "asks of none"),
        (understood("kept")(misspelt), "no column 'satus'"),
    ]:
        with pytest.raises(ConfigurationError, match=why):
            wrong(rule)
    with pytest.raises(ConfigurationError, match="`otherwise` is 'forget'"):
        lifecycle("status", start=["S"], follows={}, otherwise="forget")
