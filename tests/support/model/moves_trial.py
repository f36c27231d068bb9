"""A status that moves: what each move means by the last sound image, in plain Python."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from pyspark.sql import SparkSession

from cutline.engine.translate import translate_changes
from support.changes import change, changes_table, position, snapshot
from support.moved_parcels import FOLLOWS, Moves, ParcelRow

NOTHING = "nothing-to-announce"


def histories(count: int) -> list[str]:
    """So many histories of one parcel's letters, the same each time."""
    letters = []
    for seed in range(count):
        rng = random.Random(f"moves {seed}")
        letters.append("S" + "".join(rng.choice("SSLLRC") for _ in range(rng.randint(1, 7))))
    return letters


def expected(letters: str) -> list[str]:
    """The rule by which each image ends; of where the first came from nothing is known."""
    ends = [NOTHING]
    was = letters[0]
    for now in letters[1:]:
        if was == "C" != now:
            ends.append("left-closed")
        elif was != now and now not in FOLLOWS[was]:
            ends.append("lifecycle-awaited:post.parcels.status")
        else:
            ends.append("Returned" if (was, now) == ("L", "S") else NOTHING)
            was = now
    return ends


def engine_ends(spark: SparkSession, cases: Sequence[tuple[str, int]]) -> list[list[str]]:
    """How the engine ends the images of each history from a cut on, whose first is a snapshot's
    or, at cut 0, the parcel's creation."""
    rows: list[dict[str, Any]] = []
    for number, (letters, cut) in enumerate(cases):
        for place in range(max(cut - 1, 0), len(letters)):
            after = {"no": number, "status": letters[place]}
            if place == cut - 1:
                row = snapshot(after)
            else:
                before = {"no": number, "status": letters[place - 1]} if place else None
                row = change("u" if place else "c", 10 * (place + 1), before=before, after=after)
            rows.append(row | {"transaction": f"{number}.{place}"})
    inputs = {ParcelRow: changes_table(spark, ParcelRow, rows, consistent_point=position(1))}
    came = translate_changes(Moves, inputs).select("transaction", "rule").toArrow().to_pylist()
    ends: list[list[str]] = [[] for _ in cases]
    for row in sorted(came, key=lambda row: tuple(map(int, row["transaction"].split(".")))):
        ends[int(row["transaction"].split(".")[0])].append(row["rule"])
    return ends


def differing(spark: SparkSession, count: int = 60) -> set[str]:
    """What is wrong with the engine's ends, by kind, from any cut; nothing where all are right."""
    cases = [(letters, cut) for letters in histories(count) for cut in range(len(letters) + 1)]
    wrong = set()
    for (letters, cut), ends in zip(cases, engine_ends(spark, cases), strict=True):
        right = expected(letters[max(cut - 1, 0) :])
        if len(ends) != len(right):
            wrong.add("moves: a row has no end")
        for end, came in zip(right, ends, strict=False):
            if (end == "Returned") != (came == "Returned"):
                wrong.add("moves: what did not come back is announced, or what did is not")
            elif end != came:
                wrong.add("moves: a move is put aside that is allowed, or the other way round")
    return wrong
