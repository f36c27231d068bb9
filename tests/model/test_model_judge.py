"""The real engine on thousands of histories: nothing lost, nothing doubled, as the oracle has it.

CUTLINE_MODEL_SEED is the number of the first history, and CUTLINE_MODEL_TIMES how many times as many
the long proofs take, as `make soak` does. What fails is made short and printed as code.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from pyspark.sql import SparkSession

from cutline.context.aggregate import CONTINUES, SPLITS
from support.model.judge import Case, Finding, engine_findings
from support.model.judge.cases import random_case
from support.model.judge.cuts import REREADING
from support.model.judge.held_to import MANNERS, MIX
from support.model.judge.judging import Answer, answered, findings
from support.model.judge.twins import differing, twin
from support.model.literal_histories import MENDED, OPEN, REREAD
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


Named = Mapping[str, Case]
Answered = dict[int | str, Answer]
"""The answers to random cases by their numbers, and to literal ones by their names."""


def _failed_checks(cases: Named, answers: Answered) -> set[tuple[str, str]]:
    names = list(cases)
    of_them = [answers[name] for name in names]
    return {(names[one.case], one.check) for one in findings(list(cases.values()), of_them)}


def answers_to(spark: SparkSession, cases: Sequence[Case], named: Named | None = None) -> Answered:
    """What the engine says of them, all in one job: its plan takes longer than its rows."""
    more = {} if named is None else named
    names = [*(case.seed for case in cases), *more]
    return dict(zip(names, answered(spark, [*cases, *more.values()]), strict=True))


def refuse_wrong(spark: SparkSession, cases: Sequence[Case], answers: Answered) -> None:
    """As `refuse`, with what is wrong with the answers to these cases."""
    refuse(spark, cases, findings(cases, [answers[case.seed] for case in cases]))


def refuse(
    spark: SparkSession,
    cases: Sequence[Case],
    problems: Sequence[Finding],
    renamed: str = CONTINUES,
) -> None:
    """Fails with the first finding of each check, its history made short."""
    firsts = {finding.check: finding for finding in reversed(problems)}
    reports = [_report(spark, cases[one.case], one.check, renamed) for one in firsts.values()]
    assert not problems, f"{len(problems)} findings, such as\n" + "\n".join(reports)


def _report(spark: SparkSession, case: Case, check: str, renamed: str) -> str:
    def shows(candidates: Sequence[Case]) -> list[bool]:
        bad = {
            one.case for one in engine_findings(spark, candidates, renamed) if one.check == check
        }
        return [number in bad for number in range(len(candidates))]

    short = shrunk(case, shows)
    why = [one.sentence for one in engine_findings(spark, [short], renamed) if one.check == check]
    return f"# {check} (history {case.seed}): {'; '.join(why)}\n{literal(short)}"


QUICK, MANY, TWICE = 300, 1_000 * TIMES, 200 * TIMES
FIRST_OF_MANY, FIRST_REREAD = SEED + 1_000_000, SEED + 4_000_000
STILL_WRONG = {name: case for name, (case, _) in OPEN.items()}
READ_AGAIN = {name: case for name, (case, _) in REREAD.items()}


@pytest.fixture(scope="module")
def is_long(request: pytest.FixtureRequest) -> bool:
    """Whether the long proofs are asked for: what they judge is in the jobs of the quick ones."""
    return bool(request.config.getoption("--slow"))


@pytest.fixture(scope="module")
def quick() -> list[Case]:
    return numbered(SEED, QUICK)


@pytest.fixture(scope="module")
def many(is_long: bool) -> list[Case]:
    return numbered(FIRST_OF_MANY, MANY if is_long else 0)


@pytest.fixture(scope="module")
def answers(spark: SparkSession, quick: list[Case], many: list[Case]) -> Answered:
    """To random, literal and open histories."""
    return answers_to(spark, [*quick, *many], MENDED | STILL_WRONG)


@pytest.fixture(scope="module")
def of_twins(spark: SparkSession, quick: list[Case], many: list[Case]) -> Answered:
    """By the number of the history, what is said of its twin."""
    cases = [*quick, *many[:TWICE]]
    twin_answers = answered(spark, [twin(case) for case in cases])
    return {case.seed: answer for case, answer in zip(cases, twin_answers, strict=True)}


@pytest.fixture(scope="module")
def reread_quick() -> list[Case]:
    return reread(SEED, 200)


@pytest.fixture(scope="module")
def reread_many(is_long: bool) -> list[Case]:
    return reread(FIRST_REREAD, TWICE if is_long else 0)


@pytest.fixture(scope="module")
def reread_answers(
    spark: SparkSession, reread_quick: list[Case], reread_many: list[Case]
) -> Answered:
    """To random and literal histories that are read while the log runs."""
    return answers_to(spark, [*reread_quick, *reread_many], READ_AGAIN)


def differences(cases: Sequence[Case], answers: Answered, of_twins: Answered) -> list[Finding]:
    """Where the twins of the cases were answered otherwise."""
    answer_lists = ([by_seed[case.seed] for case in cases] for by_seed in (answers, of_twins))
    return list(differing(cases, *answer_lists))


def test_three_hundred_histories(spark: SparkSession, quick: list[Case], answers: Answered) -> None:
    refuse_wrong(spark, quick, answers)


def test_histories_that_were_found_before(answers: Answered) -> None:
    assert _failed_checks(MENDED, answers) == set()


def test_what_is_still_wrong_is_known(answers: Answered) -> None:
    """Fails when one of them is mended: then it moves to MENDED."""
    still = _failed_checks(STILL_WRONG, answers)
    assert {(name, check) for name, (_, check) in OPEN.items()} <= still


def test_another_snapshot_and_another_delivery_give_the_same_ids(
    quick: list[Case], answers: Answered, of_twins: Answered
) -> None:
    assert differences(quick, answers, of_twins) == []


def test_rows_that_are_read_while_the_log_runs(reread_answers: Answered) -> None:
    failed_checks = _failed_checks(READ_AGAIN, reread_answers)
    assert {name for name, _ in failed_checks} == {
        name for name, (_, check) in REREAD.items() if check
    }
    assert {(name, check) for name, (_, check) in REREAD.items() if check} <= failed_checks


def test_two_hundred_histories_that_are_read_while_the_log_runs(
    spark: SparkSession, reread_quick: list[Case], reread_answers: Answered
) -> None:
    refuse_wrong(spark, reread_quick, reread_answers)


@pytest.mark.slow
def test_many_histories_that_are_read_while_the_log_runs(
    spark: SparkSession, reread_many: list[Case], reread_answers: Answered
) -> None:
    assert len(reread_many) == TWICE
    refuse_wrong(spark, reread_many, reread_answers)


@pytest.mark.slow
def test_many_histories(spark: SparkSession, many: list[Case], answers: Answered) -> None:
    assert len(many) == MANY
    refuse_wrong(spark, many, answers)


@pytest.mark.slow
def test_many_histories_twice(many: list[Case], answers: Answered, of_twins: Answered) -> None:
    assert len(many) == MANY
    assert differences(many[:TWICE], answers, of_twins) == []


@pytest.mark.slow
def test_many_histories_in_which_another_key_is_another_row(spark: SparkSession) -> None:
    cases = numbered(SEED + 3_000_000, 500 * TIMES)
    refuse(spark, cases, engine_findings(spark, cases, SPLITS), SPLITS)
