"""A depot that moves from town to town: what a parcel's change sees of it, in plain Python."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from typing import Any

from pyspark.sql import SparkSession

from cutline.engine.translate import translate_changes
from support.changes import change, changes_table, position, snapshot
from support.moved_parcels import DepotRow, PlacedRow, Towns

Commit = Sequence[tuple[str, str | None]]
"""What it wrote, in that order: `parcel`, or `depot` with its town; null, it was closed down."""


def histories(count: int) -> list[Sequence[Commit]]:
    """So many histories of one parcel and its depot, the same each time."""
    cases: list[Sequence[Commit]] = []
    for seed in range(count):
        rng = random.Random(f"lookups {seed}")
        commits = []
        town: str | None = None
        for _ in range(rng.randint(1, 6)):
            writes: list[tuple[str, str | None]] = []
            for table in rng.choice([["parcel"], ["depot"], ["parcel", "depot"]]):
                if table == "parcel":
                    writes.append((table, None))
                    continue
                town = None if town and rng.random() < 0.3 else rng.choice(["Ulm", "Bonn", "Jena"])
                writes.append((table, town))
            rng.shuffle(writes)
            commits.append(writes)
        cases.append(commits)
    return cases


def expected(history: Sequence[Commit], cut: int) -> dict[int, str | None]:
    """By commit behind the cut, the town that the parcel's change says: as the commit left it.

    The row that is seen first, by a snapshot or when it was created, says nothing.
    """
    town: str | None = None
    parcel_exists = False
    towns: dict[int, str | None] = {}
    for c, writes in enumerate(history):
        for table, value in writes:
            town = value if table == "depot" else town
        if any(table == "parcel" for table, _ in writes):
            if parcel_exists and c >= cut:
                towns[c] = town
            parcel_exists = True
    return towns


def engine_towns(
    spark: SparkSession, cases: Sequence[tuple[Sequence[Commit], int]]
) -> list[dict[int, str | None]]:
    """What the engine says of each history from a cut on, by commit, in one job."""
    parcels: list[dict[str, Any]] = []
    depots: list[dict[str, Any]] = []
    for number, (history, cut) in enumerate(cases):
        shown: dict[str, dict[str, Any] | None] = {"parcel": None, "depot": None}
        for c, writes in enumerate(history):
            if c == cut:
                _show(shown, number, parcels, depots)
            for r, (table, town) in enumerate(writes):
                before, image = shown[table], _image(table, number, c, town)
                shown[table] = image
                if c >= cut:
                    op = "c" if before is None else "d" if image is None else "u"
                    row = change(op, 10 * (c + 1), before=before, after=image)
                    row |= {"position": position(10 * (c + 1), r), "transaction": f"{number}.{c}"}
                    (parcels if table == "parcel" else depots).append(row)
        if cut == len(history):
            _show(shown, number, parcels, depots)
    inputs = {
        contract: changes_table(spark, contract, rows, consistent_point=position(1))
        for contract, rows in ((PlacedRow, parcels), (DepotRow, depots))
    }
    towns: list[dict[int, str | None]] = [{} for _ in cases]
    for row in (
        translate_changes(Towns, inputs).select("transaction", "events").toArrow().to_pylist()
    ):
        for event in row["events"]:
            number, c = map(int, row["transaction"].split("."))
            towns[number][c] = json.loads(event["data"]).get("town")
    return towns


def _show(
    shown: dict[str, dict[str, Any] | None],
    number: int,
    parcels: list[dict[str, Any]],
    depots: list[dict[str, Any]],
) -> None:
    for table, rows in (("parcel", parcels), ("depot", depots)):
        image = shown[table]
        if image is not None:
            rows.append(snapshot(image) | {"transaction": f"{number}.-1"})


def _image(table: str, number: int, turn: int, town: str | None) -> dict[str, Any] | None:
    if table == "parcel":
        return {"no": number, "depot": number, "turn": turn}
    return None if town is None else {"depot": number, "town": town}


def differing(spark: SparkSession, count: int = 60) -> set[str]:
    """What is wrong with what is told, by kind, from any cut; nothing where all is right."""
    cases = [(history, cut) for history in histories(count) for cut in range(len(history) + 1)]
    wrong = set()
    for (history, cut), towns in zip(cases, engine_towns(spark, cases), strict=True):
        right = expected(history, cut)
        if towns.keys() != right.keys():
            wrong.add("lookups: a change is not told, or one is that was none")
        elif towns != right:
            wrong.add("lookups: a change sees another depot than its commit left")
    return wrong
