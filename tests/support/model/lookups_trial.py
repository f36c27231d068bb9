"""A depot that moves from town to town: what a parcel's change sees of it, in plain Python."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pyspark.sql import SparkSession

from cutline.engine.restore import ChangeFeatures
from cutline.engine.translate import translate_changes
from support.changes import change, changes_table, position, snapshot
from support.moved_parcels import DepotRow, PlacedRow, Towns

Commit = Sequence[tuple[str, str | None]]
"""What it wrote, in that order: `parcel`, or `depot` with its town; null, it was closed down. Alone
in its commit, `read`: a snapshot in the log reads the depot."""

BROKEN = "?"
"""The town of a depot whose row cannot be read."""

UNREADABLE = "lookup-unreadable:place"


def histories(count: int, *, is_broken: bool = False) -> list[Sequence[Commit]]:
    """So many histories of one parcel and its depot, the same each time. Where it `is_broken`, the
    depot's row is one that cannot be read from time to time, and is read again by a snapshot."""
    cases: list[Sequence[Commit]] = []
    for seed in range(count):
        rng = random.Random(f"lookups {seed}")
        commits: list[Commit] = []
        town: str | None = None
        for _ in range(rng.randint(1, 10 if is_broken else 6)):
            if is_broken and town and rng.random() < 0.3:
                town = rng.choice([BROKEN, "Ulm", "Bonn"]) if town == BROKEN else town
                commits.append([("read", town)])
                continue
            writes: list[tuple[str, str | None]] = []
            for table in rng.choice([["parcel"], ["depot"], ["parcel", "depot"]]):
                if table == "parcel":
                    writes.append((table, None))
                    continue
                town = None if town and rng.random() < 0.3 else rng.choice(["Ulm", "Bonn", "Jena"])
                town = BROKEN if is_broken and town and rng.random() < 0.4 else town
                writes.append((table, town))
            rng.shuffle(writes)
            commits.append(writes)
        cases.append(commits)
    return cases


def expected(history: Sequence[Commit], cut: int) -> dict[int, str | None]:
    """By commit behind the cut, the town that the parcel's change says: as the commit left it.

    The row that is seen first, by a snapshot or when it was created, says nothing. One whose depot
    cannot be read is not seen.
    """
    town: str | None = None
    parcel_exists = was_seen = False
    towns: dict[int, str | None] = {}
    for c, writes in enumerate(history):
        if c == cut:
            was_seen = parcel_exists and town != BROKEN
        for table, value in writes:
            town = town if table == "parcel" else value
        if any(table == "parcel" for table, _ in writes):
            parcel_exists = True
            if c >= cut and (was_seen or town == BROKEN):
                towns[c] = UNREADABLE if town == BROKEN else town
            was_seen |= town != BROKEN
    return towns


def engine_towns(
    spark: SparkSession, cases: Sequence[tuple[Sequence[Commit], int]], all_sound: bool
) -> list[dict[int, str | None]]:
    """What the engine says of each history from a cut on, by commit, in one job.

    Without `all_sound` it takes care of quarantined rows.
    """
    parcels: list[dict[str, Any]] = []
    depots: list[dict[str, Any]] = []
    for number, (history, cut) in enumerate(cases):
        shown: dict[str, dict[str, Any] | None] = {"parcel": None, "depot": None}
        for c, writes in enumerate(history):
            if c == cut:
                _show(shown, number, parcels, depots)
            for r, (written, town) in enumerate(writes):
                table = "parcel" if written == "parcel" else "depot"
                before, image = shown[table], _image(table, number, c, town)
                shown[table] = image
                if c >= cut:
                    if written == "read":
                        row = snapshot(image or {}) | {"logged": True}
                    else:
                        op = "c" if before is None else "d" if image is None else "u"
                        row = change(op, 10 * (c + 1), before=before, after=image)
                        row["transaction"] = f"{number}.{c}"
                    row |= {"position": position(10 * (c + 1), r), "defects": _defects(image)}
                    (parcels if table == "parcel" else depots).append(row)
        if cut == len(history):
            _show(shown, number, parcels, depots)
    inputs = {
        contract: replace(
            changes_table(
                spark,
                contract,
                rows,
                consistent_point=position(1),
                features=ChangeFeatures(rereads=any(row.get("logged") for row in rows)),
            ),
            all_sound=all_sound,
        )
        for contract, rows in ((PlacedRow, parcels), (DepotRow, depots))
    }
    towns: list[dict[int, str | None]] = [{} for _ in cases]
    translated = translate_changes(Towns, inputs).where("table = 'placed'")
    for row in translated.select("transaction", "rule", "events").toArrow().to_pylist():
        number, c = map(int, row["transaction"].split("."))
        if row["rule"] == UNREADABLE and c >= 0:
            towns[number][c] = UNREADABLE
        for event in row["events"]:
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
            row = snapshot(image, defects=_defects(image))
            rows.append(row | {"transaction": f"{number}.-1"})


def _image(table: str, number: int, turn: int, town: str | None) -> dict[str, Any] | None:
    if table == "parcel":
        return {"no": number, "depot": number, "turn": turn}
    return None if town is None else {"depot": number, "town": town}


def _defects(image: dict[str, Any] | None) -> list[str]:
    is_broken = image is not None and image.get("town") == BROKEN
    return ["wrong-type:town"] if is_broken else []


def differing(spark: SparkSession, count: int = 60) -> set[str]:
    """What is wrong with what is told, by kind, from any cut; nothing where all is right."""
    wrong = set()
    for all_sound, is_broken in ((True, False), (False, False), (False, True)):
        cases = [
            (history, cut)
            for history in histories(count, is_broken=is_broken)
            for cut in range(len(history) + 1)
        ]
        towns_by_case = engine_towns(spark, cases, all_sound)
        for (history, cut), towns in zip(cases, towns_by_case, strict=True):
            right = expected(history, cut)
            if towns.keys() != right.keys():
                wrong.add("lookups: a change is not told, or one is that was none")
            elif towns != right:
                wrong.add("lookups: a change sees another depot than its commit left")
    return wrong
