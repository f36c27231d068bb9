"""The translation of the steps of many worlds in one or two Spark jobs."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.engine.translate import translate_changes
from cutline.errors import ConfigurationError, did_you_mean
from cutline.identity.columns import finished
from cutline.testing.session import run_session
from cutline.testing.step import Step
from cutline.testing.worlds.frames import World, contracts_read, inputs_of
from cutline.testing.worlds.results import AnnouncedEvent, RowEnd
from cutline.testing.worlds.translator import translator_in_worlds, without_world
from cutline.translator import SourceContract, Translator

LATE = dt.datetime(9999, 1, 1, tzinfo=dt.UTC)
"""A cut after everything."""

_PLAIN = (
    "type",
    "aggregate",
    "subject",
    "time",
    "basis",
    "confidence",
    "replaysafe",
    "schema",
    "ordinal",
)
_TEXTS = ("data", "occurrence")


def translate_worlds(
    translator: type[Translator],
    worlds: Sequence[World],
    cut: dt.datetime = LATE,
    *,
    logged: bool = False,
    shuffled: int | None = None,
) -> list[list[RowEnd]]:
    """A list per world: the ends of its steps on the translator's parts, in their order.

    Steps of tables that are only looked up have no end. Worlds with the same tables with a change
    log share a Spark job; `logged` says that all parts have one, even an empty one. `shuffled` is a
    seed for another order of the rows, in other partitions. ConfigurationError for a row of a table
    that the translator does not read.
    """
    groups: dict[frozenset[type[SourceContract]], list[int]] = {}
    parts = frozenset(part.contract for part in translator.parts.values())
    for number, steps in enumerate(worlds):
        changing = _contracts_with_changes(translator, steps)
        groups.setdefault(changing | parts if logged else changing, []).append(number)
    ends_by_world: list[list[RowEnd]] = [[] for _ in worlds]
    for changing, numbers in groups.items():
        chosen = [worlds[number] for number in numbers]
        inputs = inputs_of(run_session(), translator, chosen, changing, cut, shuffled)
        frame = translate_changes(translator_in_worlds(translator), inputs)
        for number, ends in zip(numbers, _ends(chosen, frame), strict=True):
            ends_by_world[number] = ends
    return ends_by_world


def _contracts_with_changes(translator: type[Translator], steps: Iterable[Step]) -> frozenset[Any]:
    contracts = contracts_read(translator)
    for step in steps:
        if step.contract not in contracts:
            names = [contract.__name__ for contract in contracts]
            name = step.contract.__name__
            raise ConfigurationError(
                f"{translator.__name__} reads no table of {name}.{did_you_mean(name, names)}",
                next_step=f"It reads: {', '.join(names)}.",
            )
    return frozenset(step.contract for step in steps if step.is_change)


def _ends(worlds: Sequence[World], frame: DataFrame) -> list[list[RowEnd]]:
    numbered_ends: list[list[tuple[int, RowEnd]]] = [[] for _ in worlds]
    for record in _collect(frame):
        w, s = map(int, record["transaction"].split(":"))
        numbered_ends[w].append((s, _end(worlds[w][s], record)))
    return [[end for _, end in sorted(ends, key=itemgetter(0))] for ends in numbered_ends]


def _collect(frame: DataFrame) -> list[dict[str, Any]]:
    events = F.transform(
        "events",
        lambda e: F.struct(
            *(e.getField(name).alias(name) for name in _PLAIN),
            *(finished(e.getField(name)).alias(name) for name in _TEXTS),
        ),
    )
    names = ("transaction", "subject", "disposition", "rule", "reason")
    rows: list[dict[str, Any]] = frame.select(*names, events.alias("events")).toArrow().to_pylist()
    return rows


def _end(step: Step, record: dict[str, Any]) -> RowEnd:
    return RowEnd(
        step,
        without_world(record["subject"]),
        record["disposition"],
        record["rule"],
        record["reason"],
        tuple(_announced_event(event) for event in record["events"]),
    )


def _announced_event(event: dict[str, Any]) -> AnnouncedEvent:
    return AnnouncedEvent(
        type=event["type"],
        aggregate=event["aggregate"],
        subject=without_world(event["subject"]),
        occurrence=event["occurrence"],
        time=event["time"],
        basis=event["basis"],
        confidence=event["confidence"],
        replay_safe=event["replaysafe"],
        schema=event["schema"],
        ordinal=int(event["ordinal"]),
        data=event["data"],
    )
