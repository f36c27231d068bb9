"""Images as of commits: what nobody could read raises nothing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest
from pyspark.sql import SparkSession

from cutline.engine.restore import ChangeFeatures
from cutline.engine.translate import translate_changes
from support.changes import change, changes_table, position
from support.lockers import EachParcels, HoldRow, ParcelRow, Parcels

Step = tuple[Any, ...]


def parcel(op: str, box: str | None = None, was: str | None = None) -> Step:
    return ParcelRow, op, None if op == "c" else {"box": was}, None if op == "d" else {"box": box}


def hold(op: str, why: str) -> Step:
    image = {"why": why}
    return HoldRow, op, None if op == "c" else image, None if op == "d" else image


@dataclass(frozen=True)
class TranslatedHistory:
    """What a history says: by commit the types in their order, and each row's end."""

    events: list[list[str]] = field(default_factory=list)
    ends: list[str] = field(default_factory=list)
    fell: int = 0


HISTORIES: dict[str, list[list[Step]]] = {
    "a parcel with its hold": [[parcel("c"), hold("c", "customs")]],
    "a hold with its parcel": [[hold("c", "customs"), parcel("c")]],
    "a hold swapped": [
        [parcel("c"), hold("c", "customs")],
        [hold("d", "customs"), hold("c", "unpaid")],
    ],
    "a hold swapped, the new one first": [
        [parcel("c"), hold("c", "customs")],
        [hold("c", "unpaid"), hold("d", "customs")],
        [hold("d", "unpaid")],
    ],
    "no hold": [[parcel("c")]],
    "a hold that came and went": [[parcel("c")], [hold("c", "customs"), hold("d", "customs")]],
    "moved twice": [[parcel("c", "a")], [parcel("u", "b", "a"), parcel("u", "c", "b")]],
    "moved and back": [[parcel("c", "a")], [parcel("u", "b", "a"), parcel("u", "a", "b")]],
    "stored and moved": [[parcel("c", "a"), parcel("u", "b", "a")]],
    "came and went": [[parcel("c"), parcel("d")]],
    "taken out and put in again": [[parcel("c")], [parcel("d"), parcel("c")]],
    "taken out with its hold": [
        [parcel("c"), hold("c", "customs")],
        [parcel("d"), hold("d", "customs")],
    ],
    "two commits": [[parcel("c")], [hold("c", "customs")]],
    "moved, and then unreadable": [
        [parcel("c", "a")],
        [parcel("u", "b", "a"), parcel("u", "?", "b")],
        [parcel("u", "c", "?")],
    ],
    "stored, and then unreadable": [[parcel("c", "a"), parcel("u", "?", "a")]],
    "unreadable, and then moved": [[parcel("c", "a")], [parcel("u", "?", "a"), parcel("u", "b")]],
    "unreadable with a hold": [
        [parcel("c", "a")],
        [parcel("u", "b", "a"), hold("c", "customs"), parcel("u", "?", "b")],
    ],
}

WITHIN, BROKEN = "within-its-transaction", "contract:box:ne"
WHOLE: dict[str, TranslatedHistory] = {
    "a parcel with its hold": TranslatedHistory(
        [["Stored", "Held"]], ["Stored, Held", "Stored, Held"]
    ),
    "a hold with its parcel": TranslatedHistory(
        [["Stored", "Held"]], ["Stored, Held", "Stored, Held"]
    ),
    "a hold swapped": TranslatedHistory(
        [["Stored", "Held"], []], ["Stored, Held", "Stored, Held", "nothing", "nothing"]
    ),
    "a hold swapped, the new one first": TranslatedHistory(
        [["Stored", "Held"], [], ["Released"]],
        ["Stored, Held", "Stored, Held", "nothing", "nothing", "Released"],
    ),
    "no hold": TranslatedHistory([["Stored", "Released"]], ["Stored, Released"]),
    "a hold that came and went": TranslatedHistory(
        [["Stored", "Released"], []], ["Stored, Released", WITHIN, "nothing"], 1
    ),
    "moved twice": TranslatedHistory(
        [["Stored", "Released"], ["Moved"]], ["Stored, Released", WITHIN, "Moved"], 1
    ),
    "moved and back": TranslatedHistory(
        [["Stored", "Released"], []], ["Stored, Released", WITHIN, "nothing"], 1
    ),
    "stored and moved": TranslatedHistory([["Stored", "Released"]], [WITHIN, "Stored, Released"]),
    "came and went": TranslatedHistory([[]], [WITHIN, "nothing"], 2),
    "taken out and put in again": TranslatedHistory(
        [["Stored", "Released"], []], ["Stored, Released", WITHIN, "nothing"], 1
    ),
    "taken out with its hold": TranslatedHistory(
        [["Stored", "Held"], ["TakenOut"]], ["Stored, Held", "Stored, Held", "TakenOut", "TakenOut"]
    ),
    "two commits": TranslatedHistory(
        [["Stored", "Released"], ["Held"]], ["Stored, Released", "Held"]
    ),
    "moved, and then unreadable": TranslatedHistory(
        [["Stored", "Released"], [], ["Moved"]], ["Stored, Released", WITHIN, BROKEN, "Moved"], 1
    ),
    "stored, and then unreadable": TranslatedHistory([[]], [WITHIN, BROKEN], 2),
    "unreadable, and then moved": TranslatedHistory(
        [["Stored", "Released"], ["Moved"]], ["Stored, Released", BROKEN, "Moved"]
    ),
    "unreadable with a hold": TranslatedHistory(
        [["Stored", "Released"], ["Held"]], ["Stored, Released", WITHIN, "Held", BROKEN], 1
    ),
}
EACH: dict[str, list[list[str]]] = {
    # Beside the row that moves stands what the commit left of the others.
    "a parcel with its hold": [["Stored", "Held"]],
    "moved twice": [["Stored", "Released"], ["Moved", "Moved"]],
    "moved and back": [["Stored", "Released"], ["Moved", "Moved"]],
    "moved, and then unreadable": [["Stored", "Released"], ["Moved"], ["Moved"]],
    "a hold that came and went": [["Stored", "Released"], ["Held", "Released"]],
    "taken out and put in again": [["Stored", "Released"], ["TakenOut", "Stored", "Released"]],
}


def rows_of(history: list[list[Step]], number: int, how: str) -> dict[type, list[dict[str, Any]]]:
    """Its changes by table; `how` is what the source tells of its transactions."""
    rows: dict[type, list[dict[str, Any]]] = {ParcelRow: [], HoldRow: []}
    for c, steps in enumerate(history, start=1):
        for r, (contract, op, before, after) in enumerate(steps, start=1):
            key = "no" if contract is ParcelRow else "parcel_no"
            images = [None if i is None else {key: number, **i} for i in (before, after)]
            row = change(op, 10 * c, before=images[0], after=images[1])
            row["position"] = position(10 * c, r)
            row["transaction"] = f"{number}-{c}"
            row |= {
                "commits": {},
                "ids": {"commit": None, "position": position(0, 100 * c + r)},
                # Each table has a topic, of one partition.
                "topic": {
                    "commit": f"{0 if contract is ParcelRow else 1:020d}.{100 * c + r:020d}",
                    "position": position(0 if contract is ParcelRow else 1, 100 * c + r),
                    "partition": 0 if contract is ParcelRow else 1,
                    "offset": 100 * c + r,
                },
            }[how]
            rows[contract].append(row)
    return rows


def translate_histories(
    spark: SparkSession, translator: type, histories: dict[str, list[list[Step]]], how: str
) -> dict[str, TranslatedHistory]:
    tables: dict[type, list[dict[str, Any]]] = {ParcelRow: [], HoldRow: []}
    for number, history in enumerate(histories.values()):
        for contract, rows in rows_of(history, number, how).items():
            tables[contract] += rows
    features = ChangeFeatures(by_partition=how == "topic")
    inputs = {
        contract: changes_table(
            spark, contract, rows, consistent_point=position(0), features=features
        )
        for contract, rows in tables.items()
    }
    names = (
        "transaction",
        "position",
        "table",
        "subject",
        "disposition",
        "rule",
        "events",
        "fell_within",
    )
    translated_rows = translate_changes(translator, inputs).select(*names).toArrow().to_pylist()
    translated = {}
    for number, (name, history) in enumerate(histories.items()):
        mine = [row for row in translated_rows if row["subject"] == str(number)]
        # The order in which the rows were written is that of their last number.
        mine.sort(key=lambda row: (row["transaction"], row["position"][21:41]))
        assert len(mine) == sum(map(len, history)), name
        translated[name] = TranslatedHistory(
            [
                [
                    e["type"].split(".")[-1]
                    for row in mine
                    if row["transaction"] == f"{number}-{c}"
                    for e in row["events"]
                ]
                for c in range(1, len(history) + 1)
            ],
            [row["rule"].replace("-to-announce", "") for row in mine],
            sum(row["fell_within"] for row in mine),
        )
    return translated


@pytest.mark.parametrize("how", ["commits", "ids", "topic"])
def test_a_commit_is_asked_once(spark: SparkSession, how: str) -> None:
    translated = translate_histories(spark, Parcels, HISTORIES, how)
    for name, expected in WHOLE.items():
        if how == "topic" and name == "a hold swapped, the new one first":
            # Of a topic's rows the last is taken for what is there, and two stood there.
            continue
        assert translated[name] == expected, name


def test_each_change_is_asked_where_the_translator_says_so(spark: SparkSession) -> None:
    translated = translate_histories(spark, EachParcels, HISTORIES, "commits")
    assert {name: translated[name].events for name in EACH} == EACH
    assert sum(one.fell for one in translated.values()) == 0
