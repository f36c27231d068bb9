"""Two tables of one source, told by its transactions: what each commit means, in plain Python.

The rows of a transaction stand in one file or, with `files`, in two: its end is not the file's.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

from pyspark.sql import SparkSession

from cutline.engine.translate import translate_changes
from support.changes import change, changes_table, position
from support.lockers import HoldRow, ParcelRow, Parcels

Write = tuple[str, str, str | None, str | None]
"""Of which table, its op, the value before and after: a parcel's box, a hold's reason."""

History = Sequence[Sequence[Write]]
TypeCounts = Counter[tuple[int, int, str]]
"""How often a history says a type with one of its commits."""


def histories(count: int) -> list[History]:
    """So many histories of one parcel, the same each time."""
    return [_history(random.Random(f"commits {seed}")) for seed in range(count)]


def _history(rng: random.Random) -> History:
    box: str | None = None
    why: str | None = None
    commits: list[list[Write]] = []
    for _ in range(rng.randint(1, 4)):
        writes: list[Write] = []
        for _ in range(rng.randint(1, 4)):
            if rng.random() < 0.5:
                then, box = box, None if box and rng.random() < 0.2 else rng.choice("ab")
                writes.append(("parcel", _op(then, box), then, box))
            else:
                then, why = why, None if why and rng.random() < 0.6 else why or "customs"
                if then != why:
                    writes.append(("hold", _op(then, why), then, why))
        commits.append(writes)
    return [writes for writes in commits if writes]


def _op(then: str | None, now: str | None) -> str:
    return "c" if then is None else "d" if now is None else "u"


def expected(history: History, number: int) -> TypeCounts:
    """What somebody announces who reads both tables after each commit, and never in between."""
    counts: TypeCounts = Counter()
    box: str | None = None
    why: str | None = None
    names: set[str] = set()
    last: str | None = None
    for c, writes in enumerate(history, start=1):
        then = box
        for table, _, _, now in writes:
            box, why = (now, why) if table == "parcel" else (box, now)
        if box is None:
            if then is not None:
                counts[number, c, "TakenOut"] += 1
            if why is None:
                # A hold that is left keeps open what is said of its parcel.
                names, last = set(), None
            continue
        now_true = {"Stored", "Held" if why else "Released"}
        for event_type in now_true - names:
            counts[number, c, event_type] += 1
        if last is not None and last != box:
            counts[number, c, "Moved"] += 1
        names, last = now_true, box
    return counts


def announced_by_engine(
    spark: SparkSession, cases: Sequence[History], *, files: bool
) -> TypeCounts:
    """What the engine announces of them, in one job."""
    tables: dict[Any, list[dict[str, Any]]] = {ParcelRow: [], HoldRow: []}
    place = 0
    for number, history in enumerate(cases):
        for c, writes in enumerate(history, start=1):
            for w, (table, op, then, now) in enumerate(writes):
                place += 1
                contract = ParcelRow if table == "parcel" else HoldRow
                rows = [None if one is None else _row(table, number, one) for one in (then, now)]
                # All commits of a second, as clocks that tell no more have it.
                row = change(op, c, before=rows[0], after=rows[1], at="2026-11-02T00:00:00+00:00")
                row |= {
                    "commit": None,
                    "transaction": f"{number}.{c}",
                    "position": position(0, place),
                    "partition": int(files and w > 0),
                    "offset": place,
                }
                tables[contract].append(row)
    inputs = {
        contract: changes_table(spark, contract, rows, consistent_point=position(0))
        for contract, rows in tables.items()
    }
    translated = (
        translate_changes(Parcels, inputs).select("transaction", "events").toArrow().to_pylist()
    )
    return Counter(
        (*map(int, row["transaction"].split(".")), event["type"].rsplit(".", 1)[-1])
        for row in translated
        for event in row["events"]
    )


def _row(table: str, number: int, value: str) -> dict[str, Any]:
    if table == "parcel":
        return {"no": number, "box": value}
    return {"parcel_no": number, "why": value}


def differing(spark: SparkSession, count: int = 60) -> set[str]:
    """What is wrong with the engine's answers, by kind; nothing where all are right."""
    cases = histories(count)
    right: TypeCounts = Counter()
    for number, history in enumerate(cases):
        right += expected(history, number)
    wrong = set()
    for files in (False, True):
        announced = announced_by_engine(spark, cases, files=files)
        where = "in two files" if files else "in one file"
        if announced - right:
            wrong.add(f"commits {where}: what nobody could read is announced")
        if right - announced:
            wrong.add(f"commits {where}: what was committed is not announced")
    return wrong
