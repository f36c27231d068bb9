"""The real engine on many cases at once, and what the oracle says of its answer."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from cutline.context.aggregate import CONTINUES, SPLITS
from cutline.engine.announce.candidates import Lineage, candidate_events
from cutline.engine.merge import with_verdicts as merged
from cutline.engine.project import project
from cutline.engine.restore import LEFT_SUBJECT
from cutline.engine.translate import Inputs, translate_changes
from cutline.tables.disposition import EXCEPTIONAL, VISIBLE
from cutline.tables.verdict import ACCEPTED, DUPLICATE_FACT, DUPLICATE_ID
from cutline.testing.worlds.translator import translator_in_worlds
from support.model.connector import SNAPSHOT
from support.model.facts import MEASURED, Fact, lasting
from support.model.judge.cases import Case
from support.model.judge.cuts import IN_LOG
from support.model.judge.findings import Finding
from support.model.judge.frames import job_inputs, position_text
from support.model.judge.translators import CONTEXTS, TRANSLATORS
from support.model.steps import Key

Place = tuple[Key, str, str]
"""A delivered row: its key, op and, if it is of the log, position."""


@dataclass
class Answer:
    """What the engine said of one case."""

    ends: Counter[Place] = field(default_factory=Counter)
    visible: Counter[Place] = field(default_factory=Counter)
    put_aside: list[str] = field(default_factory=list)
    announced: Counter[Fact] = field(default_factory=Counter)
    ids: dict[Fact, str] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)
    state: dict[Key, tuple[Any, ...]] = field(default_factory=dict)


def engine_findings(
    spark: SparkSession, cases: Sequence[Case], renamed: str = CONTINUES
) -> list[Finding]:
    """All that is wrong, in the order of the cases; `renamed` is as an aggregate says it."""
    return findings(cases, answered(spark, cases, renamed), renamed)


def findings(
    cases: Sequence[Case], answers: Sequence[Answer], renamed: str = CONTINUES
) -> list[Finding]:
    """What is wrong with these answers."""
    return [
        Finding(number, check, what)
        for number, (case, answer) in enumerate(zip(cases, answers, strict=True))
        for check, what in _wrong(case, answer, renamed)
    ]


def answered(spark: SparkSession, cases: Sequence[Case], renamed: str = CONTINUES) -> list[Answer]:
    """What the engine says of each case; one translation of all of them."""
    inputs, context = job_inputs(spark, cases).inputs, CONTEXTS[renamed]
    translated = reduce(
        DataFrame.unionByName, (_translated(kind, inputs) for kind in TRANSLATORS[renamed])
    )
    translated = translated.localCheckpoint()
    events = merged(candidate_events(translated, _lineage()), context).localCheckpoint()
    accepted = events.where(F.col("verdict") == ACCEPTED)
    answers = [Answer() for _ in cases]
    for row in _rows(
        translated.where(~F.col(LEFT_SUBJECT)).select(
            "key", "op", "position", "disposition", "rule"
        )
    ):
        _end(row, answers)
    places = [_places(case) for case in cases]
    names = ("type", "subject", "verdict", "id", "migsrcpos", "data")
    for row in _rows(events.select(*names)):
        _announced(row, answers, places)
    for row in _rows(project(accepted, context.aggregates[0])):
        _state(row, answers)
    return answers


def _translated(kind: Any, inputs: Inputs) -> DataFrame:
    return translate_changes(translator_in_worlds(kind), inputs)


def _lineage() -> Lineage:
    return Lineage("model", "r", "run", F.lit("2026-11-02 00:00:00").cast("timestamp"))


def _rows(frame: DataFrame) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = frame.toArrow().to_pylist()
    return rows


def _end(row: dict[str, Any], answers: list[Answer]) -> None:
    world_text, *key = json.loads(row["key"])
    answer = answers[_world(world_text)[0]]
    at = "" if row["op"] == SNAPSHOT else row["position"]
    place = (tuple(key), row["op"], at)
    answer.ends[place] += 1
    if row["disposition"] == VISIBLE:
        answer.visible[place] += 1
    if row["disposition"] in EXCEPTIONAL:
        answer.put_aside.append(f"{row['op']} of {row['key']}: {row['rule']}")


def _announced(row: dict[str, Any], answers: list[Answer], places: list[dict[str, int]]) -> None:
    number, key = _subject(row["subject"])
    answer = answers[number]
    if row["verdict"] in (DUPLICATE_ID, DUPLICATE_FACT):
        return
    measured = row["type"] == MEASURED
    life = places[number].get(row["migsrcpos"], -1) if measured else json.loads(row["data"])["born"]
    fact = Fact(row["type"], key, life)
    if row["verdict"] != ACCEPTED:
        answer.refused.append(f"{fact}: {row['verdict']}")
        return
    answer.announced[fact] += 1
    answer.ids[fact] = row["id"]


def _state(row: dict[str, Any], answers: list[Answer]) -> None:
    number, key = _subject(row["subject"])
    if row["life"] == "there":
        answers[number].state[key] = (row["status"], row["qty"], row["note"])


def _places(case: Case) -> dict[str, int]:
    """The log position of each record of the tail, by the text that the engine is given."""
    return {position_text(record, case.history_cut): record.lsn for record in case.tail}


def _subject(subject: str) -> tuple[int, Key]:
    number, rest = _world(subject)
    return number, tuple(rest[1:].split("/"))


def _world(text: str) -> tuple[int, str]:
    """The number of the world that a text begins with, and what follows."""
    number, _, rest = text[1:].partition("\u27e7")
    return int(number), rest


def _wrong(case: Case, answer: Answer, renamed: str) -> Iterator[tuple[str, str]]:
    history, cut = case.history, case.history_cut
    places = [
        ((r.key, r.op, "" if r.op == SNAPSHOT else position_text(r, cut) or ""), r)
        for r in case.records
    ]
    if answer.ends != Counter(place for place, _ in places):
        yield "conservation", f"{answer.ends.total()} ends of {len(places)} rows"
    expected_visible = Counter(place for place, record in places if not cut.keeps(record))
    for place in expected_visible.keys() | answer.visible.keys():
        if expected_visible[place] != answer.visible[place]:
            yield (
                "placed",
                f"{answer.visible[place]} of {expected_visible[place]} are visible: {place}",
            )
    for sentence in (*answer.put_aside, *answer.refused):
        yield "put-aside", sentence
    expected = cut.facts(history, splits=renamed == SPLITS)
    announced = set(answer.announced)
    if case.cut == IN_LOG:
        # What was there before the chunk was read is known of those that still are; but nothing is
        # ever told of a subject that never was.
        alive = {(row.key, row.born) for row in history.final.values()}
        subjects = {fact.key for fact in expected}
        expected = {fact for fact in lasting(expected) if (fact.key, fact.life_or_lsn) in alive}
        announced = {
            fact
            for fact in lasting(announced)
            if (fact.key, fact.life_or_lsn) in alive or fact.key not in subjects
        }
    if cut.shown & cut.to_keep:
        expected = lasting(expected)
        announced = lasting(announced)
    for fact in sorted(expected - announced, key=str):
        yield "gap", f"{fact} was not announced"
    for fact in sorted(announced - expected, key=str):
        yield "invented", f"{fact} was announced"
    for fact, times in answer.announced.items():
        if times > 1:
            yield "doubled", f"{fact} was announced {times} times"
    state = {key: (row.status, row.qty, row.note) for key, row in history.final.items()}
    if answer.state != state:
        yield "state", f"{answer.state}, but the source has {state}"
