"""Lookups as of their commits, on literal rows of one source and of two."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pyspark.sql.types as T
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from cutline.context import Aggregate, Context, Event
from cutline.engine.compose.images import SKEW
from cutline.engine.compose.lookups.as_of_commit import VERSIONS_IN_A_CHAPTER
from cutline.engine.translate import Inputs, translate_changes
from cutline.errors import ConfigurationError
from cutline.translator import (
    COMMIT,
    HOLD,
    Occurrence,
    SourceContract,
    Translator,
    changed,
    column,
    lookup,
    table,
)
from support.changes import change, changes_table, position, snapshot


class Sighted(Event):
    """A parcel was seen, with what its depot was called then."""

    no: str
    turn: int
    depot: str | None = None


POST = Context(
    name="post",
    doc="Parcels.",
    aggregates=(Aggregate(name="parcel", doc="One parcel.", events=(Sighted,), state={}),),
)


class Parcel(SourceContract):
    """One row is one parcel."""

    no: T.StringType = column(doc="number", nullable=False)
    depot: T.StringType = column(doc="where it lies")
    turn: T.LongType = column(doc="counts its changes")

    class Config:
        metadata = table("till", "parcels", key=["no"])


class Depot(SourceContract):
    """One row is one depot, in the parcels' own source."""

    id: T.StringType = column(doc="id", nullable=False)
    town: T.StringType = column(doc="the town it lies in")
    name: T.StringType = column(doc="what it is called")

    class Config:
        metadata = table("till", "depots", key=["id"])


class FarDepot(Depot):
    """The same, in another source."""

    class Config:
        metadata = table("registry", "depots", key=["id"])


def parcels(of: type[SourceContract], **how: Any) -> type[Translator]:
    class Parcels(Translator):
        """Each change of a parcel tells what its depot is called."""

        context, aggregate, version = POST, "parcel", "1.0.0"
        source, subject = Parcel, "no"
        place = lookup(of, on="depot", **how)

        @changed(Sighted, of="turn", opening=True)
        def sighted(self, row):
            data = {"no": row.no, "turn": row.turn, "depot": row.place.name}
            return Occurrence(time_basis=COMMIT, data=data, key=row.turn)

    return Parcels


class OfTown(Translator):
    """Each change of a parcel tells what the depots of its town are called."""

    context, aggregate, version = POST, "parcel", "1.0.0"
    source, subject = Parcel, "no"
    place = lookup(Depot, on="depot", by="town", many=True)

    @changed(Sighted, of="turn", opening=True)
    def sighted(self, row):
        names = F.transform(row.place, lambda depot: depot.getField("name")).cast("string")
        data = {"no": row.no, "turn": row.turn, "depot": names}
        return Occurrence(time_basis=COMMIT, data=data, key=row.turn)


def parcel(turn: int, depot: str | None = "d1", no: str = "p1") -> dict[str, Any]:
    return {"no": no, "depot": depot, "turn": turn}


def depot(name: str, id: str = "d1", town: str = "Ulm") -> dict[str, Any]:
    return {"id": id, "town": town, "name": name}


def ends(rows: Any) -> dict[str, list[Any]]:
    """By parcel, in the order of their changes, what each tells: a depot's name, or why none."""
    depots_by_parcel: dict[str, list[tuple[str, Any]]] = {}
    for row in rows.where("table = 'parcels'").collect():
        events = [json.loads(event["data"]) for event in row["events"]]
        depot_or_rule = events[0].get("depot") if events else row["rule"]
        depots_by_parcel.setdefault(json.loads(row["key"])[0], []).append(
            (row["position"], depot_or_rule)
        )
    return {no: [what for _, what in sorted(each)] for no, each in sorted(depots_by_parcel.items())}


def inputs(spark: SparkSession, parcels: list[Any], depots: list[Any], of: Any = Depot) -> Inputs:
    """No depot is quarantined here."""
    depot_changes = changes_table(spark, of, depots, consistent_point=position(5))
    return {
        Parcel: changes_table(spark, Parcel, parcels, consistent_point=position(5)),
        of: replace(depot_changes, all_sound=True),
    }


MOVED = [
    snapshot(depot("north")),
    change("u", 20, after=depot("south")),
    change("u", 40, after=depot("east")),
    change("d", 60, before=depot("east")),
    change("c", 80, after=depot("west")),
]
PARCEL_CHANGES = [
    snapshot(parcel(0)),
    *(change("u", at, after=parcel(at)) for at in (10, 20, 30, 50, 70, 90)),
]
AS_OF_COMMIT = ["north", "north", "south", "south", "east", None, "west"]


@pytest.mark.parametrize("of", [Depot, FarDepot])
def test_a_lookup_is_as_of_the_commit_of_its_image(spark: SparkSession, of: Any) -> None:
    assert ends(translate_changes(parcels(of), inputs(spark, PARCEL_CHANGES, MOVED, of))) == {
        "p1": AS_OF_COMMIT
    }


def test_rows_may_lie_in_any_order(spark: SparkSession) -> None:
    turned = inputs(spark, PARCEL_CHANGES[::-1], MOVED[::-1])
    assert ends(translate_changes(parcels(Depot), turned)) == {"p1": AS_OF_COMMIT}


@pytest.mark.parametrize("end", [20, 45, 65])
def test_what_an_image_sees_does_not_depend_on_where_history_ends(
    spark: SparkSession, end: int
) -> None:
    """Frozen lookups do: with each cut they judge old images by other data."""
    until = [row for row in MOVED if row["position"] <= position(end)]
    parcel_changes = [row for row in PARCEL_CHANGES if row["position"] <= position(end)]
    depots_by_parcel = ends(translate_changes(parcels(Depot), inputs(spark, parcel_changes, until)))
    assert depots_by_parcel == {"p1": AS_OF_COMMIT[: len(parcel_changes)]}
    frozen = ends(
        translate_changes(parcels(Depot, frozen=True), inputs(spark, parcel_changes, until))
    )
    last = {20: "south", 45: "east", 65: None}[end]
    assert frozen == {"p1": [last] * len(parcel_changes)}


def test_a_snapshot_sees_the_lookup_as_of_the_snapshot(spark: SparkSession) -> None:
    """Whatever was committed before the cut: a later snapshot of the same rows sees more."""
    later = [snapshot(depot("south")), *MOVED[2:]]
    depots_by_parcel = ends(
        translate_changes(parcels(Depot), inputs(spark, [snapshot(parcel(0))], later))
    )
    assert depots_by_parcel == {"p1": ["south"]}


# What the log says of the transaction: its commit, or its id and the commit before it.
@pytest.mark.parametrize("log", [{}, {"commit": None, "transaction": "7"}], ids=["commit", "id"])
def test_a_transaction_sees_what_it_did_itself(spark: SparkSession, log: dict[str, Any]) -> None:
    """Also what it did after the row: no reader ever saw the one without the other."""
    together = [
        snapshot(depot("north")),
        {**change("u", 20, after=depot("half")), "position": position(20, 1), **log},
        {**change("u", 20, after=depot("south")), "position": position(20, 7), **log},
        {**change("u", 30, after=depot("later")), "position": position(30, 1), **log},
    ]
    rows = [
        snapshot(parcel(0)),
        {**change("u", 20, after=parcel(1)), "position": position(20, 3), **log},
    ]
    assert ends(translate_changes(parcels(Depot), inputs(spark, rows, together))) == {
        "p1": ["north", "south"]
    }


def test_what_waits_for_its_row_sees_the_first_that_came(spark: SparkSession) -> None:
    rows = [change("c", 10, after=parcel(1)), change("c", 11, after=parcel(1, "d2", "p2"))]
    later = [change("c", 20, after=depot("south")), change("u", 30, after=depot("east"))]
    ends_by_missing = {
        missing: ends(
            translate_changes(
                parcels(Depot, required=True, missing=missing), inputs(spark, rows, later)
            )
        )
        for missing in (HOLD, "reject")
    }
    assert ends_by_missing[HOLD] == {"p1": ["south"], "p2": ["lookup-awaited:place"]}
    assert ends_by_missing["reject"] == {
        "p1": ["lookup-missing:place"],
        "p2": ["lookup-missing:place"],
    }


@pytest.mark.parametrize("many", [False, True])
def test_several_rows_are_those_that_stood_there_together(spark: SparkSession, many: bool) -> None:
    moves = [
        snapshot(depot("one", "d1")),
        change("c", 20, after=depot("two", "d2")),
        change("u", 40, after=depot("one", "d1", town="Bonn")),
        change("d", 60, before=depot("two", "d2")),
    ]
    rows = [
        change("c" if at == 10 else "u", at, after=parcel(at, "Ulm")) for at in (10, 30, 50, 70)
    ]
    translator = OfTown if many else parcels(Depot, by="town")
    depots_by_parcel = ends(translate_changes(translator, inputs(spark, rows, moves)))
    if many:
        assert depots_by_parcel == {"p1": ["[one]", "[one, two]", "[two]", None]}
    else:
        assert depots_by_parcel == {"p1": ["one", "several-rows:place", "two", None]}


def test_a_row_that_changes_all_the_time_is_seen_as_of_each_commit(spark: SparkSession) -> None:
    often = 3 * VERSIONS_IN_A_CHAPTER + 5
    moves = [change("c", 10, after=depot("0"))]
    moves += [change("u", 10 + 2 * n, after=depot(str(n))) for n in range(1, often)]
    rows = [change("c", 9, after=parcel(0))]
    rows += [change("u", 11 + 2 * n, after=parcel(n + 1)) for n in range(often)]
    depots_by_parcel = ends(translate_changes(parcels(Depot), inputs(spark, rows, moves)))
    assert depots_by_parcel == {"p1": [None, *(str(n) for n in range(often))]}


def test_no_key_meets_nothing(spark: SparkSession) -> None:
    rows = [snapshot(parcel(0, None)), change("u", 10, after=parcel(1, None))]
    assert ends(translate_changes(parcels(Depot), inputs(spark, rows, MOVED))) == {
        "p1": [None, None]
    }


def test_how_close_the_clocks_of_two_sources_were_is_measured(spark: SparkSession) -> None:
    """Only the clock says which of the two came first; within one source the log does."""
    frame = translate_changes(parcels(FarDepot), inputs(spark, PARCEL_CHANGES, MOVED, FarDepot))
    minute = 60_000_000
    apart = {r["position"]: r[SKEW] for r in frame.where("table = 'parcels'").collect()}
    assert apart[position(10)] == 10 * minute
    assert apart[position(20)] == 0
    assert apart[position(50)] == 10 * minute
    assert apart[PARCEL_CHANGES[0]["position"]] is None
    frame = translate_changes(parcels(Depot), inputs(spark, PARCEL_CHANGES, MOVED))
    assert {row[SKEW] for row in frame.collect()} == {None}


def test_frozen_at_the_cut_and_as_of_a_time_are_two_things() -> None:
    with pytest.raises(ConfigurationError, match="both `frozen` and `as_of`"):
        lookup(Depot, on="depot", frozen=True, as_of="turn", valid=("town", "name"))
