"""The suite can fail: each mutant breaks the property that is meant for it; the ordinary conform."""

from __future__ import annotations

import pytest

from cutline.conformance.suite import judge
from cutline.translator import Translator
from support.leases import MUTANTS, Composed, LastingThatCeases, Ordinary

pytestmark = pytest.mark.usefixtures("spark")


@pytest.mark.parametrize("translator", [Ordinary, Composed])
def test_what_conforms_is_let_through(translator: type[Translator]) -> None:
    findings, judged = judge(translator, histories=100)
    assert [line for f in findings if not f.ok for line in f.lines()] == []
    assert judged.unseen == ()
    assert judged.worlds > judged.histories == 100


@pytest.mark.parametrize(("mutant", "named"), MUTANTS.items())
def test_a_mutant_breaks_the_property_meant_for_it(mutant: type[Translator], named: str) -> None:
    findings, _ = judge(mutant, histories=40)
    broken = {f.property for f in findings if not f.ok}
    assert named in broken, [f.lines() for f in findings]
    assert broken <= {named, "rules"} or named == "order"


def test_the_example_is_as_short_as_can_be() -> None:
    findings, _ = judge(LastingThatCeases, histories=40)
    (finding,) = [f for f in findings if not f.ok]
    assert finding.what.startswith("fact dunned is lasting, but Dunned of ")
    created, ceased = finding.example.splitlines()
    assert created.startswith("1. created old.leases")
    assert "late=True" in created
    assert ceased.endswith(("late=False", "late=None"))
    assert "transient=True" in finding.next_step
