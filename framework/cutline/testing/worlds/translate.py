"""Judging: what a translator says of the steps of many worlds, in one or two Spark jobs."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.engine.translate import translate_changes
from cutline.errors import ConfigurationError, did_you_mean
from cutline.identity.columns import finished
from cutline.testing.session import run_session
from cutline.testing.step import Step
from cutline.testing.worlds.frames import World, inputs_of, read_by
from cutline.testing.worlds.results import End, Told
from cutline.testing.worlds.translator import in_worlds, without_world
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


def judged(
    translator: type[Translator],
    worlds: Sequence[World],
    cut: dt.datetime = LATE,
    *,
    logged: bool = False,
    shuffled: int | None = None,
) -> list[list[End]]:
    """For each world the ends of its steps on the translator's parts, in their order.

    Steps of tables that are only looked up have no end here. Worlds that have the same tables with
    a change log share a Spark job; `logged` says that all parts have one, even if nothing stands in
    it. `shuffled` is a seed by which the rows are put in another order and other partitions.
    ConfigurationError for a row of a table that is not read.
    """
    groups: dict[frozenset[type[SourceContract]], list[int]] = {}
    parts = frozenset(part.contract for part in translator.parts.values())
    for number, steps in enumerate(worlds):
        changing = _changing(translator, steps)
        groups.setdefault(changing | parts if logged else changing, []).append(number)
    found: list[list[End]] = [[] for _ in worlds]
    for changing, numbers in groups.items():
        chosen = [worlds[number] for number in numbers]
        inputs = inputs_of(run_session(), translator, chosen, changing, cut, shuffled)
        frame = translate_changes(in_worlds(translator), inputs)
        for number, ends in zip(numbers, _ends(chosen, frame), strict=True):
            found[number] = ends
    return found


def _changing(translator: type[Translator], steps: Iterable[Step]) -> frozenset[Any]:
    known = read_by(translator)
    for step in steps:
        if step.contract not in known:
            names = [contract.__name__ for contract in known]
            name = step.contract.__name__
            raise ConfigurationError(
                f"{translator.__name__} reads no table of {name}.{did_you_mean(name, names)}",
                next_step=f"It reads: {', '.join(names)}.",
            )
    return frozenset(step.contract for step in steps if step.is_change)


def _ends(worlds: Sequence[World], frame: DataFrame) -> list[list[End]]:
    found: list[list[tuple[int, End]]] = [[] for _ in worlds]
    for record in _collected(frame):
        w, s = map(int, record["transaction"].split(":"))
        found[w].append((s, _end(worlds[w][s], record)))
    return [[end for _, end in sorted(ends, key=lambda one: one[0])] for ends in found]


def _collected(frame: DataFrame) -> list[dict[str, Any]]:
    told = F.transform(
        "events",
        lambda e: F.struct(
            *(e.getField(name).alias(name) for name in _PLAIN),
            *(finished(e.getField(name)).alias(name) for name in _TEXTS),
        ),
    )
    names = ("transaction", "subject", "disposition", "rule", "reason")
    rows: list[dict[str, Any]] = frame.select(*names, told.alias("events")).toArrow().to_pylist()
    return rows


def _end(step: Step, record: dict[str, Any]) -> End:
    return End(
        step,
        without_world(record["subject"]),
        record["disposition"],
        record["rule"],
        record["reason"],
        tuple(_told(event) for event in record["events"]),
    )


def _told(event: dict[str, Any]) -> Told:
    return Told(
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
