"""The shortest history is found, without Spark: what shows a fault is told by a function."""

from __future__ import annotations

from dataclasses import replace

from support.model.connector import Manners
from support.model.judge.cases import Case, random_case
from support.model.random_steps import Mix
from support.model.rules import GAP, RULES
from support.model.shrink import literal, shrunk
from support.model.steps import Commit, Load, Mark, Upsert


def loses_rows(cases):
    rule = RULES["row_lsn > L"]
    return [GAP in rule(case.history) for case in cases]


def test_a_long_history_in_which_a_row_is_lost_becomes_a_few_steps() -> None:
    long = [random_case(seed, Manners(), Mix()) for seed in range(100)]
    losing = [case for case, loses in zip(long, loses_rows(long), strict=True) if loses]
    assert len(losing) > 10
    for case in losing[:10]:
        short = shrunk(case, loses_rows)
        assert loses_rows([short]) == [True]
        assert len(short.steps) <= 4
        for place in range(len(short.steps)):
            less = replace(short, steps=short.steps[:place] + short.steps[place + 1 :])
            assert loses_rows([less]) == [False]


def test_what_is_needed_stays() -> None:
    case = Case((Load(("a",)), Upsert(1, ("b",)), Commit(1)))
    assert shrunk(case, lambda cases: [False] * len(cases)) is case


def test_a_case_is_printed_as_the_code_that_makes_it() -> None:
    case = Case(
        (Load(("a",), qty=2), Upsert(1, ("ab", ""), note="x"), Mark("low")),
        cut="clock",
        manners=Manners(late=True),
        seed=7,
    )
    text = literal(case)
    assert eval(text) == case
    assert "status" not in text
    assert "partitions" not in text
