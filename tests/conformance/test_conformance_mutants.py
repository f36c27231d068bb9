"""The suite can fail: each mutant breaks the property that is meant for it; the ordinary conform."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

from cutline.conformance.suite import check_translator
from cutline.engine.examine.columns_used import UsedColumn
from cutline.engine.examine.rule_analysis import AT
from cutline.engine.examine.unstable import unstable_columns
from cutline.translator import Translator
from support.leases import MUTANTS, Composed, LastingThatCeases, Moving, Ordinary
from support.soaking import some_in_soak

pytestmark = pytest.mark.usefixtures("spark")

FIRST = {named: mutant for mutant, named in reversed(MUTANTS.items())}
"""The first mutant by the property that it breaks."""


@pytest.mark.parametrize("translator", [Ordinary, Composed, Moving])
def test_what_conforms_is_let_through(translator: type[Translator]) -> None:
    results, summary = check_translator(translator, histories=100)
    assert [line for f in results if not f.ok for line in f.lines()] == []
    assert summary.facts_never_announced == ()
    assert summary.captures > summary.histories == 100


# One for each property in each run of the tests, and all of them in `make soak`.
@pytest.mark.parametrize(
    ("mutant", "named"),
    some_in_soak(MUTANTS.items(), lambda mutant, named: FIRST[named] is mutant),
)
def test_a_mutant_breaks_the_property_meant_for_it(mutant: type[Translator], named: str) -> None:
    results, _ = check_translator(mutant, histories=40)
    broken = {f.property for f in results if not f.ok}
    assert named in broken, [f.lines() for f in results]
    assert broken <= {named, "rules"} or named == "order"


def test_a_time_that_moved_and_calls_itself_exact_is_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Touched(Ordinary):
        """Looks at a time that every write corrects."""

    as_it_is, _ = check_translator(Touched, histories=40)
    assert [f.lines() for f in as_it_is if not f.ok] == []

    def of_payloads_only(translator: Any, trees: Any, use: str) -> frozenset[UsedColumn]:
        return frozenset() if use == AT else unstable_columns(translator, trees, use)

    class Trusting(Touched):
        """The same, in an engine that asks of payloads only whether they moved."""

    where = importlib.import_module("cutline.engine.examine.analyse")
    monkeypatch.setattr(where, "unstable_columns", of_payloads_only)
    results, _ = check_translator(Trusting, histories=40)
    (broken,) = [f for f in results if not f.ok]
    assert broken.property == "exact"
    assert "calls itself exact, and its time moved from" in broken.problem


@pytest.mark.soak
def test_the_example_is_as_short_as_can_be() -> None:
    results, _ = check_translator(LastingThatCeases, histories=40)
    (result,) = [f for f in results if not f.ok]
    assert result.problem.startswith("fact dunned is lasting, but Dunned of ")
    created, ceased = result.example.splitlines()
    assert created.startswith("1. created old.leases")
    assert "late=True" in created
    assert ceased.endswith(("late=False", "late=None"))
    assert "transient=True" in result.next_step
