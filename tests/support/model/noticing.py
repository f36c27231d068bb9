"""Who notices a mutant: small trials that name what is wrong, nothing where all is right."""

from __future__ import annotations

import itertools
import sqlite3
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pyspark.sql.types as T
from pyspark.sql import SparkSession

from cutline.cut import stopping
from cutline.cut.reverify import Reverify
from cutline.cut.stopping import LogRecord, StopRequest
from cutline.positions import PostgresPosition
from cutline.sources.chunks import chunk_predicates
from cutline.translator import SourceContract, column, table
from support.extracting import Extract, change, write
from support.model import in_commit_trial, lookups_trial, moves_trial, waiting_trial
from support.model.commits_trial import differing
from support.model.judge import engine_findings
from support.model.judge.cases import Case, random_case
from support.model.judge.cuts import REREADING
from support.model.judge.held_to import MANNERS, MIX
from support.model.literal_histories import MENDED, REREAD
from support.model.mutants import (
    CHUNKS,
    COMMITS,
    EXTRACT,
    IN_COMMIT,
    JUDGE,
    LOOKUPS,
    MOVES,
    QUEUE,
    REREADS,
    STOPPING,
    WAITING,
    WINDOW,
    Mutant,
)
from support.model.random_steps import KEYS, Mix, random_steps
from support.model.window_trial import left, left_by_model, of_other_digits


class KeyedRow(SourceContract):
    """Anything with a key."""

    id: T.LongType = column(doc="number", nullable=False)

    class Config:
        metadata = table("erp", "things", key=["id"])


def judge_cases() -> dict[int | str, Case]:
    """All that the judge may be given: random cases by their number, literal ones by their name."""
    mix = Mix(renames=False, at_once=False)
    return {seed: random_case(seed, MANNERS, mix) for seed in range(150)} | MENDED


def reread_cases() -> dict[int | str, Case]:
    """As `judge_cases`, of rows that are read while the log runs."""
    crashing = replace(MANNERS, crashes=True)
    random = {seed: random_case(seed, crashing, MIX, REREADING) for seed in range(150)}
    return random | {name: case for name, (case, _) in REREAD.items()}


CASES: Mapping[str, Callable[[], dict[int | str, Case]]] = {
    JUDGE: judge_cases,
    REREADS: reread_cases,
}


def by_judge(spark: SparkSession, cases: Sequence[Case]) -> set[str]:
    """The checks of the judge that fail."""
    return {f"the judge: {one.check}" for one in engine_findings(spark, cases)}


def showing(spark: SparkSession, cases: Mapping[int | str, Case]) -> tuple[int | str, ...]:
    """Few of the cases, in which all checks fail that fail in any of them."""
    names = list(cases)
    failing: dict[int | str, set[str]] = {}
    for finding in engine_findings(spark, list(cases.values())):
        failing.setdefault(names[finding.case], set()).add(finding.check)
    left = set().union(*failing.values())
    few: list[int | str] = []
    while left:
        few.append(max(failing, key=lambda name: len(failing[name] & left)))
        left -= failing[few[-1]]
    return tuple(few)


def by_window(spark: SparkSession) -> set[str]:
    """Whether a chunk's window leaves other rows than the model's."""
    cases = [Case(random_steps(seed), seed=seed) for seed in range(150)]
    left_by_engine, expected = left(spark, cases), left_by_model(cases)
    wrong = set()
    if left_by_engine - expected:
        wrong.add("the window: a stale row stays")
    if expected - left_by_engine:
        wrong.add("the window: a row is lost")
    if of_other_digits(spark):
        wrong.add("the window: a key that is written otherwise is not found")
    return wrong


def by_extract(spark: SparkSession) -> set[str]:
    """Whether the extract writes other rows than were changed."""
    key = '{"id": 1}^'
    creation = change("c", None, {"id": 1}, table="things", row=1)
    deletion = change("d", {"id": 1}, None, table="things", row=2)
    lines = [key + creation, key + deletion, key]
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder) / "changes.jsonl", "\n".join(lines))
        changes = {"kind": "debezium", "path": "changes.jsonl", "snapshot": {"policy": "in-log"}}
        source = {"kind": "log", "tables": {"things": {}}, "changes": changes}
        extracted = Extract(Path(folder), {"erp": source}, (KeyedRow,)).run(spark)
        ops = [row[0] for row in extracted.rows("erp_things", "op")]
    return set() if ops == ["c", "d"] else {"the extract: a deletion more"}


def by_chunks(spark: SparkSession) -> set[str]:
    """Whether a row of a table is in no chunk, or in two."""
    rows = [key for key in KEYS if len(key) == 2] + list(itertools.product("abc", "xyz"))
    bounds = [("a", "y"), ("b", "x")]
    with sqlite3.connect(":memory:") as database:
        database.execute("CREATE TABLE t (no text, sku text)")
        database.executemany("INSERT INTO t VALUES (?, ?)", rows)
        rows_in_chunks = [
            row
            for chunk in chunk_predicates(["no", "sku"], bounds)
            for row in database.execute(f"SELECT * FROM t WHERE {chunk}")
        ]
    wrong = set()
    if set(rows) - set(rows_in_chunks):
        wrong.add("the chunks: a row is in none")
    if len(rows_in_chunks) > len(set(rows_in_chunks)):
        wrong.add("the chunks: a row is in two")
    return wrong


def by_stopping(spark: SparkSession) -> set[str]:
    """Whether a reader that is stopped or killed at any time misses a row."""
    log = [
        LogRecord(PostgresPosition(commit), f"{commit}.{row}", row == 1)
        for commit in (1, 3, 5)
        for row in range(2)
    ]
    wrong = set()
    rows = _while_it_is_requested(log)
    if [one.payload for one in log] != rows:
        wrong.add("the stop: a reader ended before the target")
    for killed in range(6):
        first = [
            one
            for _, one in zip(range(killed), stopping.take_until(log, StopRequest()), strict=False)
        ]
        behind = [one for one in log if not first or one.commit.text > first[-1].commit.text]
        again = [*first, *stopping.take_until(behind, StopRequest())]
        if [row for one in again for row in one.payloads] != [one.payload for one in log]:
            wrong.add("the stop: who begins again behind what was taken misses rows")
    return wrong


def _while_it_is_requested(log: Sequence[LogRecord[str]]) -> list[str]:
    """What a reader takes that runs while somebody asks the source for the target."""
    stop, rows = StopRequest(), []

    def end_of_log() -> PostgresPosition:
        rows.extend(row for one in stopping.take_until(log, stop) for row in one.payloads)
        return PostgresPosition(5)

    stop.request(end_of_log)
    return rows


def by_queue(spark: SparkSession) -> set[str]:
    """Whether the queue is empty while the last state of a row was never compared."""
    for touches in itertools.product((False, True), repeat=4):
        queue: Reverify[str] = Reverify()
        version = compared = 0
        reading: int | None = None
        for touch in (True, *touches):
            if touch:
                version += 1
                queue.touched("a")
            if reading is not None:
                compared, reading = max(compared, reading), None
                queue.settled("a")
            elif queue.begin() is not None:
                reading = version
        if queue.empty and compared < version:
            return {"the queue: empty, and the last change was not compared"}
    return set()


def by_commits(spark: SparkSession) -> set[str]:
    """Whether transactions of two tables mean what somebody reads who sees them as a whole."""
    return differing(spark)


def by_waiting(spark: SparkSession) -> set[str]:
    """Whether rows that wait for another end as the image in which they no longer wait."""
    return waiting_trial.differing(spark, 15)


def by_moves(spark: SparkSession) -> set[str]:
    """Whether moves mean what they mean from the last sound image on."""
    return moves_trial.differing(spark, 15)


def by_lookups(spark: SparkSession) -> set[str]:
    """Whether a change sees what it looks up as its commit left it."""
    return lookups_trial.differing(spark, 15)


def by_in_commit(spark: SparkSession) -> set[str]:
    """Whether a fact is told what else its commit did."""
    return in_commit_trial.differing(spark, 15)


TRIALS: Mapping[str, Callable[[SparkSession], set[str]]] = {
    COMMITS: by_commits,
    WAITING: by_waiting,
    MOVES: by_moves,
    LOOKUPS: by_lookups,
    IN_COMMIT: by_in_commit,
    WINDOW: by_window,
    EXTRACT: by_extract,
    CHUNKS: by_chunks,
    STOPPING: by_stopping,
    QUEUE: by_queue,
}


def noticed(spark: SparkSession, mutants: Sequence[Mutant]) -> set[str]:
    """What is wrong, as those see it who must notice these mutants."""
    wrong: set[str] = set()
    for by in {mutant.noticed_by for mutant in mutants}:
        if by in TRIALS:
            wrong |= TRIALS[by](spark)
            continue
        every = CASES[by]()
        wanted = [case for mutant in mutants if mutant.noticed_by == by for case in mutant.cases]
        wrong |= by_judge(spark, [every[name] for name in dict.fromkeys(wanted)])
    return wrong
