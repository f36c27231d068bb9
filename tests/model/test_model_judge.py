"""The real engine on thousands of histories: nothing lost, nothing doubled, as the oracle has it.

CUTLINE_MODEL_SEED is the number of the first history, and CUTLINE_MODEL_TIMES how many times as many
the long proofs take, as `make soak` does. What fails is made short and printed as code.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import pytest
from pyspark.sql import SparkSession

from cutline.context.aggregate import CONTINUES, SPLITS
from support.model.judge import Case, Finding, judged
from support.model.judge.cases import random_case
from support.model.judge.cuts import REREADING
from support.model.judge.held_to import MANNERS, MIX
from support.model.judge.judging import Answer, answered, findings
from support.model.judge.twins import differing, twin
from support.model.literal_histories import FOUND, OPEN, REREAD
from support.model.shrink import literal, shrunk

SEED = int(os.environ.get("CUTLINE_MODEL_SEED", "0"))
TIMES = int(os.environ.get("CUTLINE_MODEL_TIMES", "1"))


def numbered(first: int, count: int) -> list[Case]:
    print(f"histories {first} to {first + count - 1}; CUTLINE_MODEL_SEED sets the first")
    return [random_case(seed, MANNERS, MIX) for seed in range(first, first + count)]


def reread(first: int, count: int) -> list[Case]:
    """In jobs of their own: they differ in what the engine takes for granted of a snapshot."""
    print(f"histories {first} to {first + count - 1}; CUTLINE_MODEL_SEED sets the first")
    crashing = replace(MANNERS, crashes=True)
    return [random_case(seed, crashing, MIX, REREADING) for seed in range(first, first + count)]


@dataclass(frozen=True)
class Quick:
    """The random cases of the quick tests, and the answers to them and to the literal ones."""

    cases: list[Case]
    answers: list[Answer]


def _found(cases: Mapping[str, Case], answers: Sequence[Answer]) -> set[tuple[str, str]]:
    names = list(cases)
    return {(names[one.case], one.check) for one in findings(list(cases.values()), answers)}


def refuse(
    spark: SparkSession,
    cases: Sequence[Case],
    found: Sequence[Finding],
    renamed: str = CONTINUES,
) -> None:
    """Fails with the first finding of each check, its history made short."""
    firsts = {finding.check: finding for finding in reversed(found)}
    told = [_told(spark, cases[one.case], one.check, renamed) for one in firsts.values()]
    assert not found, f"{len(found)} findings, such as\n" + "\n".join(told)


def _told(spark: SparkSession, case: Case, check: str, renamed: str) -> str:
    def shows(candidates: Sequence[Case]) -> list[bool]:
        bad = {one.case for one in judged(spark, candidates, renamed) if one.check == check}
        return [number in bad for number in range(len(candidates))]

    short = shrunk(case, shows)
    why = [one.what for one in judged(spark, [short], renamed) if one.check == check]
    return f"# {check} (history {case.seed}): {'; '.join(why)}\n{literal(short)}"


@pytest.fixture(scope="module")
def quick(spark: SparkSession) -> Quick:
    """Random, literal and open histories, all in one job."""
    cases = numbered(SEED, 300)
    return Quick(
        cases, answered(spark, [*cases, *FOUND.values(), *(case for case, _ in OPEN.values())])
    )


def test_three_hundred_histories(spark: SparkSession, quick: Quick) -> None:
    refuse(spark, quick.cases, findings(quick.cases, quick.answers[: len(quick.cases)]))


def test_histories_that_were_found_before(quick: Quick) -> None:
    assert _found(FOUND, quick.answers[len(quick.cases) :][: len(FOUND)]) == set()


def test_what_is_still_wrong_is_known(quick: Quick) -> None:
    """Fails when one of them is mended: then it moves to FOUND."""
    still = _found({name: case for name, (case, _) in OPEN.items()}, quick.answers[-len(OPEN) :])
    assert {(name, check) for name, (_, check) in OPEN.items()} <= still


def test_another_snapshot_and_another_delivery_give_the_same_ids(
    spark: SparkSession, quick: Quick
) -> None:
    others = answered(spark, [twin(case) for case in quick.cases])
    ours = quick.answers[: len(quick.cases)]
    assert list(differing(quick.cases, ours, others)) == []


def test_rows_that_are_read_while_the_log_runs(spark: SparkSession) -> None:
    cases = {name: case for name, (case, _) in REREAD.items()}
    found = _found(cases, answered(spark, list(cases.values())))
    assert {name for name, _ in found} == {name for name, (_, check) in REREAD.items() if check}
    assert {(name, check) for name, (_, check) in REREAD.items() if check} <= found


def test_two_hundred_histories_that_are_read_while_the_log_runs(spark: SparkSession) -> None:
    cases = reread(SEED, 200)
    refuse(spark, cases, judged(spark, cases))


@pytest.mark.slow
def test_many_histories_that_are_read_while_the_log_runs(spark: SparkSession) -> None:
    cases = reread(SEED + 4_000_000, 500 * TIMES)
    refuse(spark, cases, judged(spark, cases))


@pytest.mark.slow
def test_many_histories(spark: SparkSession) -> None:
    cases = numbered(SEED + 1_000_000, 2_500 * TIMES)
    refuse(spark, cases, judged(spark, cases))


@pytest.mark.slow
def test_many_histories_twice(spark: SparkSession) -> None:
    cases = numbered(SEED + 2_000_000, 500 * TIMES)
    others = [twin(case) for case in cases]
    assert list(differing(cases, answered(spark, cases), answered(spark, others))) == []


@pytest.mark.slow
def test_many_histories_in_which_another_key_is_another_row(spark: SparkSession) -> None:
    cases = numbered(SEED + 3_000_000, 500 * TIMES)
    refuse(spark, cases, judged(spark, cases, SPLITS), SPLITS)
