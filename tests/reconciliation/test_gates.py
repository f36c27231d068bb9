"""The decision, from literal findings."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from cutline.project.gates import Gates
from cutline.results.reconcile import (
    Decision,
    LevelResults,
    OutcomeLevel,
    ReconcileResult,
    RecordLevel,
    StateLevel,
    rate,
)
from cutline_reconciliation.gates.decide import ConservationTotals, ExceptionCount, decide
from cutline_reconciliation.gates.figures import at_least_text, at_most_text, limit_text

TOTALS = ConservationTotals(source_rows=100_000, candidate_events=250_000, unexplained=0)


def record(matched: int = 1000, missing: int = 0, name: str = "order") -> RecordLevel:
    return RecordLevel(name, matched + missing, matched, missing, 0, 0, 0)


def state(matched: int = 1000, differ: int = 0, name: str = "order") -> StateLevel:
    return StateLevel(name, matched + differ, matched, differ, 0)


def outcome(agree: int = 1000, differ: int = 0, name: str = "promises") -> OutcomeLevel:
    question = "Which open orders can be promised?"
    return OutcomeLevel(name, question, "", agree + differ, agree, 0, differ, 0, 0, 0, 0)


def summary(
    records: tuple[RecordLevel, ...] = (record(),),
    states: tuple[StateLevel, ...] = (state(),),
    outcomes: tuple[OutcomeLevel, ...] = (outcome(),),
) -> LevelResults:
    return LevelResults(records, states, outcomes)


def decided(
    levels: LevelResults,
    exceptions: tuple[ExceptionCount, ...] = (),
    totals: ConservationTotals = TOTALS,
    **gates: Any,
) -> Decision:
    return decide(levels, Gates.model_validate(gates), exceptions, totals)


def accepted(rule: str, max_rate: float) -> dict[str, Any]:
    return {
        "rule": rule,
        "max_rate": max_rate,
        "reason": "left by an older migration",
        "owner": "Ada",
    }


def test_what_agrees_is_go_and_every_gate_is_told() -> None:
    decision = decided(summary())
    assert decision.decision == "go"
    assert [(v.name, v.passed) for v in decision.gates] == [
        ("conservation", True),
        ("record", True),
        ("state", True),
        ("outcome:promises", True),
    ]
    assert decision.gates[0].sentence == (
        "Conservation: 100,000 source rows and 250,000 candidate events have one end each, "
        "0 are unexplained"
    )


def test_the_outcome_decides_in_a_sentence_with_its_numbers() -> None:
    levels = summary(outcomes=(outcome(agree=3889, differ=312),))
    decision = decided(levels, outcome={"min_match_rate": 0.999})
    assert decision.decision == "no-go"
    assert decision.decided_by == (
        "Outcome: 312 of 4,201 decisions of promises differ (92.57 % agree, 99.9 % needed): "
        "'Which open orders can be promised?'"
    )


def test_the_first_gate_that_says_no_decides() -> None:
    bad = LevelResults((record(1, 1),), (state(1, 1),), (outcome(1, 1),))
    exceptions = (ExceptionCount("unreadable", "source-row", 1),)
    lost = ConservationTotals(10, 10, 3)
    assert decided(bad, exceptions, lost).decided_by == (
        "Conservation: 3 of 10 source rows and 10 candidate events are unexplained"
    )
    assert decided(bad, exceptions).decided_by.startswith("Exceptions: 1 of 100,000 source rows")
    assert decided(bad).decided_by.startswith("Record: 1 of 2 subjects")
    half = {"min_match_rate": 0.5}
    assert decided(bad, record=half).decided_by.startswith("State: 1 of 2 subjects")
    assert decided(bad, record=half, state=half).decided_by.startswith("Outcome: 1 of 2 decisions")
    assert decided(bad, record=half, state=half, outcome=half).decision == "go"


def test_record_and_state_are_judged_over_all_aggregates() -> None:
    levels = summary(states=(state(9990, 0, "order"), state(0, 10, "stock")))
    assert decided(levels, state={"min_match_rate": 0.999}).decision == "go"
    assert decided(levels, state={"min_match_rate": 0.9991}).decision == "no-go"


def test_an_outcome_may_have_a_gate_of_its_own() -> None:
    levels = summary(outcomes=(outcome(90, 10, "a"), outcome(99, 1, "b")))
    gates = {"outcome": {"min_match_rate": 0.95}, "outcomes": {"a": {"min_match_rate": 0.9}}}
    assert decided(levels, **gates).decision == "go"
    gates["outcomes"] = {"b": {"min_match_rate": 0.9}}
    assert "decisions of a differ" in decided(levels, **gates).decided_by


@pytest.mark.parametrize(
    ("levels", "sentence"),
    [
        (summary(records=(record(0),)), "Record: nothing was compared, which is never GO"),
        (summary(states=(state(0),)), "State: nothing was compared, which is never GO"),
        (summary(outcomes=(outcome(0),)), "Outcome: nothing was compared, which is never GO: "
         "'Which open orders can be promised?'"),
        (summary(outcomes=(outcome(5), outcome(0, name="empty"))),
         "Outcome: nothing was compared, which is never GO: 'Which open orders can be promised?'"),
        (LevelResults((), (), ()), "Truth: nothing to compare with, because the translation brings no "
         "truth"),
    ],
)  # fmt: skip
def test_nothing_compared_is_never_go(levels: LevelResults, sentence: str) -> None:
    zero = {"min_match_rate": 0}
    decision = decided(levels, record=zero, state=zero, outcome=zero)
    assert (decision.decision, decision.decided_by) == ("no-go", sentence)


def test_the_cause_decides_and_not_what_follows_from_it() -> None:
    following = (
        ExceptionCount("holds", "event", 9),
        ExceptionCount("no-prior-image", "source-row", 7),
        ExceptionCount("part-awaited:parcel", "source-row", 5),
    )
    cause = ExceptionCount("unknown-commit", "source-row", 2, "no record of lk bounds its commit")
    decision = decided(summary(), (*following, cause))
    assert decision.decided_by == (
        "Exceptions: 2 of 100,000 source rows under rule 'unknown-commit' (no record of lk bounds "
        "its commit), which nobody has accepted"
    )
    assert [v.name for v in decision.gates if v.name.startswith("exceptions")] == [
        "exceptions:unknown-commit",
        "exceptions:no-prior-image",
        "exceptions:part-awaited:parcel",
        "exceptions:holds",
    ]


def test_exceptions_must_be_accepted_by_their_rule() -> None:
    exceptions = (ExceptionCount("unreadable", "source-row", 120),)
    assert decided(summary(), exceptions).decided_by == (
        "Exceptions: 120 of 100,000 source rows under rule 'unreadable', which nobody has accepted"
    )
    assert decided(summary(), exceptions, accept=[accepted("another", 1)]).decision == "no-go"
    assert decided(summary(), exceptions, accept=[accepted("unreadable", 0.0012)]).decision == "go"
    assert decided(summary(), exceptions, accept=[accepted("unreadable", 0.0011)]).decided_by == (
        "Exceptions: 120 of 100,000 source rows under rule 'unreadable' "
        "(0.12 %, at most 0.11 % accepted by Ada): left by an older migration"
    )


def test_exceptions_of_events_are_a_share_of_the_events() -> None:
    exceptions = (ExceptionCount("early", "event", 120),)
    assert decided(summary(), exceptions, accept=[accepted("early", 0.00048)]).decision == "go"
    assert decided(summary(), exceptions, accept=[accepted("early", 0.00047)]).decision == "no-go"


def test_one_rule_on_rows_and_events_is_judged_on_each() -> None:
    exceptions = (ExceptionCount("r", "event", 1), ExceptionCount("r", "source-row", 1))
    accept = [accepted("r", 0.000004)]
    decision = decided(summary(), exceptions, accept=accept)
    assert [v.exception_level for v in decision.gates if v.kind == "exceptions"] == [
        "source-row",
        "event",
    ]
    assert [(v.sentence[:33], v.passed) for v in decision.gates if "exceptions" in v.name] == [
        ("Exceptions: 1 of 100,000 source r", False),
        ("Exceptions: 1 of 250,000 candidat", True),
    ]


def test_exceptions_without_a_population_are_no_share_of_it() -> None:
    exceptions = (ExceptionCount("r", "event", 1),)
    accept = [accepted("r", 0.5)]
    assert (
        decided(summary(), exceptions, ConservationTotals(10, 0, 0), accept=accept).decision
        == "no-go"
    )


def test_an_acceptance_that_is_not_used_is_fine() -> None:
    assert decided(summary(), accept=[accepted("unreadable", 0.1)]).decision == "go"


def test_rates_are_exact() -> None:
    # As floats, 0.07 * 100 is more than 7 and 7 / 100 is less than some 0.07.
    for matched, compared, needs in [(7, 100, 0.07), (29, 100, 0.29), (999, 1000, 0.999)]:
        levels = summary(outcomes=(outcome(matched, compared - matched),))
        assert decided(levels, outcome={"min_match_rate": needs}).decision == "go"
        levels = summary(
            outcomes=(outcome(matched * 10**15 - 1, (compared - matched) * 10**15 + 1),)
        )
        assert decided(levels, outcome={"min_match_rate": needs}).decision == "no-go"


@pytest.mark.parametrize(
    ("share", "limit", "text"),
    [
        ("0.9999999", "1", "99.99 %"),
        ("0.99899999", "0.999", "99.89 %"),
        ("0.999001", "0.999", "99.9001 %"),
        ("1", "1", "100 %"),
        ("0", "1", "0 %"),
    ],
)
def test_a_share_that_must_be_reached_is_rounded_down(share: str, limit: str, text: str) -> None:
    assert at_least_text(Fraction(share), Fraction(limit)) == text


def test_a_share_that_must_not_be_exceeded_is_rounded_up() -> None:
    assert at_most_text(Fraction(1, 10**6), Fraction("0.005")) == "0.01 %"
    assert at_most_text(Fraction("0.0049999"), Fraction("0.005")) == "0.49999 %"
    assert limit_text(Fraction("0.00025")) == "0.025 %"


@given(st.integers(0, 10**6), st.integers(1, 10**6), st.decimals(0, 1, places=5))
def test_shown_shares_stand_to_the_limit_as_the_true_ones(
    part: int, whole: int, written: Any
) -> None:
    assume(part <= whole)
    share, limit = Fraction(part, whole), Fraction(str(written))
    for text in (at_least_text(share, limit), at_most_text(share, limit)):
        shown = Fraction(text.removesuffix(" %")) / 100
        assert (shown >= limit) == (share >= limit)
        assert (shown > limit) == (share > limit)


def test_facts_carry_rates_that_do_not_flatter() -> None:
    levels = summary(records=(record(10**12, 1),), states=(state(0),))
    decision = decided(levels)
    facts = ReconcileResult(
        rows_in=0,
        rows_out=0,
        decision=decision.decision,
        decided_by=decision.decided_by,
        gates=decision.gates,
        levels=levels,
    ).stored()["facts"]
    assert facts["levels"]["record"][0]["rate"] < 1
    assert facts["levels"]["record"][0]["breaks"] == 1
    assert facts["levels"]["state"][0]["rate"] is None
    assert facts["levels"]["outcome"][0]["rate"] == 1.0
    assert rate(1, 4) == 0.25


@pytest.mark.parametrize(
    ("gate", "name", "passed", "sentence"),
    [
        ({"max_breaks": 10}, "state.breaks", True,
         "State: 10 subjects differ from the legacy's truth, at most 10 accepted"),
        ({"max_breaks": 9}, "state.breaks", False,
         "State: 10 subjects differ from the legacy's truth, at most 9 accepted"),
        ({"max_breaks": 10}, "state", True,
         "State: 10 of 1,000 subjects differ from the legacy's truth (99 % agree)"),
        ({"max_breaks": 10, "min_match_rate": 0.995}, "state", False,
         "State: 10 of 1,000 subjects differ from the legacy's truth (99 % agree, 99.5 % needed)"),
        ({}, "state", False,
         "State: 10 of 1,000 subjects differ from the legacy's truth (99 % agree, 100 % needed)"),
        ({"max_breaks": 99, "categories": {"fax": {}}}, "state.category:fax", False,
         "State: nothing was compared in fax, which is never GO"),
    ],
)  # fmt: skip
def test_a_level_may_have_other_limits_than_a_rate(
    gate: dict[str, Any], name: str, passed: bool, sentence: str
) -> None:
    verdicts = {v.name: v for v in decided(summary(states=(state(990, 10),)), state=gate).gates}
    assert (verdicts[name].passed, verdicts[name].sentence) == (passed, sentence)


def test_money_that_is_no_amount_is_never_within_a_limit() -> None:
    words = decided(summary(outcomes=(outcome(9, 1),)), outcome={"max_money": 5}).decided_by
    assert words.startswith("Outcome: what the breaks put at risk is no amount, and at most 5 acc")
    assert decided(summary(), outcome={"max_money": 0}).decision == "go"


NOTHING = RecordLevel("van", 0, 0, 0, 0, 0, 0)
ALL_EXPLAINED = StateLevel("van", 0, 0, 0, 7, columns={"plate": 0})
ABOUT_VANS = OutcomeLevel("due", "?", "", 5, 5, 0, 0, 0, 0, 0, 0, aggregate="van")


@pytest.mark.parametrize(
    ("levels", "sentence"),
    [
        (LevelResults((record(),), (state(),), (), without_truth=("van",)),
         "Compared: nothing of van, for nobody tells its truth, and no outcome decides on it"),
        (summary(records=(record(), NOTHING)),
         "Compared: nothing of van, for neither side has any"),
        (summary(records=(record(), dataclasses.replace(NOTHING, not_eligible=1))),
         "Compared: nothing of van, for no subject of it is judged: 1 subject of it set aside or "
         "waived"),
        (summary(records=(record(), record(name="van")), states=(state(), ALL_EXPLAINED)),
         "Compared: nothing of van, for no state of it is judged: 7 subjects of it set aside or "
         "waived"),
    ],
)  # fmt: skip
def test_an_aggregate_of_which_nothing_is_compared_is_no_go_by_name(
    levels: LevelResults, sentence: str
) -> None:
    decision = decided(levels)
    assert (decision.decision, decision.decided_by) == ("no-go", sentence)
    right = {"aggregate": "van", "reason": "They are bought later.", "owner": "Ada"}
    accepted = decided(levels, uncompared=[right])
    assert accepted.decision == "go"
    assert accepted.gates[-1].sentence == f"{sentence}; accepted by Ada: They are bought later."


def test_an_outcome_answers_for_the_aggregate_that_it_decides_on() -> None:
    levels = LevelResults((record(),), (state(),), (ABOUT_VANS,), without_truth=("van",))
    assert decided(levels).decision == "go"


def test_comparisons_that_are_owed_are_no_go_unless_somebody_accepts_so_many() -> None:
    owing = summary((dataclasses.replace(record(), late=7),))
    refused = decided(owing)
    assert refused.decision == "no-go"
    assert refused.decided_by.startswith("Re-verify: 7 subjects and 0 decisions changed after")
    terms = {"reason": "Orders arrive.", "owner": "Ada"}
    accepted_by_ada = decided(owing, owed={"max_count": 7, **terms})
    assert accepted_by_ada.decision == "go"
    assert accepted_by_ada.gates[-1].sentence.endswith(
        "(at most 7, accepted by Ada): Orders arrive."
    )
    assert decided(owing, owed={"max_count": 6, **terms}).decision == "no-go"
