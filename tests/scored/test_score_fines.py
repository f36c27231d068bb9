"""Traffic fines: every derivable event recovered, none invented, nothing said that is not so."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from cutline.context.order import Expects
from cutline.engine.announce.candidates import Lineage, candidate_events
from cutline.engine.merge import with_verdicts
from cutline.engine.translate import translate_changes
from support.scored.announced import CUT
from support.scored.data import needs_events
from support.scored.fines.activities import ACTIVITIES
from support.scored.fines.context import FINE, FINES
from support.scored.fines.contracts import Fine
from support.scored.fines.derive import STATUS, legacy
from support.scored.fines.evidence import LASTING
from support.scored.fines.score import CUTS, TRANSLATORS, changes_of
from support.scored.fines.spoiled import Spoiled
from support.scored.judgement import Judgement
from support.scored.page import PAGE, filled, of_fines
from support.scored.scored import Scored
from support.scored.truth import by_case

pytestmark = needs_events

NONE: Counter[str] = Counter()


def test_all_changes_tell_every_event_and_every_value_exactly(fines: Scored) -> None:
    run = fines.changes
    assert run.recovered == Counter(event.activity for event in fines.true)
    assert (run.missed, run.invented, run.wrong(), run.missing_values()) == (NONE, NONE, NONE, NONE)
    # Of nine steps on the day of the step before, the change does not write the day anew.
    assert run.labels() == {"exact": 34715, "inferred": 9}
    assert run.outcome.dispositions == {"translated": 34724, "no-op": 4910}


def test_a_snapshot_alone_tells_every_event_that_its_rows_still_show(fines: Scored) -> None:
    run = fines.snapshot
    assert (run.missed, run.invented, run.wrong()) == (NONE, NONE, NONE)
    assert sum(run.recovered.values()) == 34609
    assert run.outcome.exceptions == {}


def test_what_a_snapshot_cannot_know_it_leaves_out_and_says_so(fines: Scored) -> None:
    cases = by_case(fines.true).values()
    raised = sum(any(e.activity == "Add penalty" for e in case) for case in cases)
    moved = sum(case[-1].activity not in ("Create Fine", "Send Fine") for case in cases)
    assert fines.snapshot.missing_values() == {
        ("Create Fine", "amount"): raised,
        ("Create Fine", "dismissal"): moved,
    }
    empty_fields = {
        name
        for event in fines.snapshot.outcome.events
        if event.confidence == "exact"
        for name, value in event.payload
        if value is None and name != "last_sent"
    }
    assert empty_fields == set()


@pytest.mark.parametrize("day", CUTS)
def test_a_snapshot_and_the_changes_after_it_tell_as_much_as_all_changes(
    fines: Scored, day: str
) -> None:
    run = fines.cuts[day]
    assert (run.missed, run.invented, run.wrong()) == (NONE, NONE, NONE)
    true = Counter(event.activity for event in fines.true)
    assert {a: run.recovered[a] for a in LASTING} == {a: true[a] for a in LASTING}
    assert run.outcome.dispositions["visible-in-snapshot"] > 0
    assert run.outcome.exceptions == {}


def test_steps_that_the_law_does_not_foresee_are_found_with_their_counts(fines: Scored) -> None:
    allowed = Fine.lifecycle()
    assert allowed is not None
    steps = (
        (STATUS[one.activity], STATUS[other.activity])
        for case in by_case(fines.true).values()
        for one, other in pairwise(case)
    )
    expected = Counter(
        f"status went from {one} to {other}, which its lifecycle does not allow"
        for one, other in steps
        if one != other and other not in allowed.follows[one]
    )
    assert fines.changes.outcome.findings == expected
    assert sum(expected.values()) == 74


def test_the_merge_accepts_all_of_it_and_finds_what_came_out_of_order(
    spark: SparkSession, fines: Scored
) -> None:
    inputs = changes_of(spark, legacy(fines.true))
    lineage = Lineage("fines", "all", "run", F.lit(CUT))
    fine_events, payment_events = (
        candidate_events(translate_changes(t, inputs), lineage) for t in TRANSLATORS
    )
    merged = with_verdicts(fine_events.unionByName(payment_events), FINES).select(
        "verdict", F.explode_outer("findings.rule").alias("rule")
    )
    counts = {
        (r.verdict, r.rule): r["count"] for r in merged.groupBy("verdict", "rule").count().collect()
    }
    expected = _out_of_order(fines)
    assert {rule: n for (_, rule), n in counts.items() if rule} == expected
    assert {verdict for verdict, _ in counts} == {"accepted"}
    assert sum(counts.values()) == 34724


def _out_of_order(fines: Scored) -> Counter[str]:
    """What the aggregate's expectations say of the true sequences, day by day."""
    counts_by_rule: Counter[str] = Counter()
    for case in by_case(fines.true).values():
        days = {event.activity: event.time for event in case}
        for rule in (rule for rule in FINE.order if isinstance(rule, Expects)):
            event, first = (ACTIVITIES[e.event_type()] for e in (rule.event, rule.first))
            if event in days and first not in days:
                counts_by_rule[rule.missing or ""] += 1
            elif event in days and days[first] > days[event]:
                counts_by_rule[rule.rule] += 1
    return counts_by_rule


def test_spoiled_rows_are_quarantined_by_name_and_take_no_more_with_them_than_they_must(
    spoiled_fines: tuple[Spoiled, Judgement], fines: Scored
) -> None:
    arrived, run = spoiled_fines
    assert run.outcome.exceptions == arrived.rules()
    assert (run.missed, run.invented, run.wrong()) == (NONE, NONE, NONE)
    assert len(fines.true) - len(run.expected) == 623


def test_the_page_says_what_was_measured(
    fines: Scored, spoiled_fines: tuple[Spoiled, Judgement]
) -> None:
    page, tables = PAGE.read_text(encoding="utf-8"), of_fines(fines, spoiled_fines)
    assert filled(page, tables, "fines") == page
