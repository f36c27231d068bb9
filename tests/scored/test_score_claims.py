"""Insurance claims: every derivable event recovered, none invented, no time made up."""

from __future__ import annotations

from collections import Counter

import pytest
from pyspark.sql import SparkSession

from cutline.translator import understood
from support.scored.claims import contract as k
from support.scored.claims.contract import Claim
from support.scored.claims.derive import ADVISED, legacy
from support.scored.claims.evidence import LASTING
from support.scored.claims.score import CUTS, outcome_of
from support.scored.claims.translator import CoreClaims
from support.scored.data import needs_events
from support.scored.images import all_changes
from support.scored.judgement import Judgement
from support.scored.page import PAGE, filled, of_claims
from support.scored.scored import Scored
from support.scored.truth import by_case

pytestmark = needs_events

NONE: Counter[str] = Counter()


def test_all_changes_tell_every_event_and_every_value_exactly(claims: Scored) -> None:
    run = claims.changes
    assert run.recovered == Counter(event.activity for event in claims.true)
    assert (run.missed, run.invented, run.wrong(), run.missing_values()) == (NONE, NONE, NONE, NONE)
    assert run.labels() == {"exact": 5443}
    assert run.outcome.findings == {}


def test_a_snapshot_alone_tells_every_event_that_its_rows_still_show(claims: Scored) -> None:
    run = claims.snapshot
    assert (run.missed, run.invented, run.wrong()) == (NONE, NONE, NONE)
    assert sum(run.recovered.values()) == 3749
    # Whose desk it was on is known of the last step only.
    assert sum(run.missing_values().values()) == 3749 - len(by_case(claims.true))


def test_that_the_claimant_was_advised_is_told_and_the_time_that_nobody_kept_is_not(
    claims: Scored,
) -> None:
    advised = [e for e in claims.snapshot.outcome.events if e.activity == ADVISED]
    assert len(advised) == 613
    assert {(e.basis, e.confidence) for e in advised} == {("extract", "approximate")}


@pytest.mark.parametrize("moment", CUTS)
def test_a_snapshot_and_the_changes_after_it_tell_as_much_as_all_changes(
    claims: Scored, moment: str
) -> None:
    run = claims.cuts[moment]
    assert (run.missed, run.invented, run.wrong()) == (NONE, NONE, NONE)
    true = Counter(event.activity for event in claims.true)
    assert {a: run.recovered[a] for a in LASTING} == {a: true[a] for a in LASTING}
    assert run.outcome.exceptions == {}


class Forgetful(CoreClaims):
    """As its author first wrote it: nobody had thought of the letter I."""

    @understood("told-by-times-and-marks")
    def told_by_times_and_marks(self, row):
        return row.status.isin(k.REGISTERED, k.ASSESSED, k.PAID, k.CLOSED)


def test_a_letter_that_was_forgotten_is_quarantined_by_name_and_its_time_is_not_guessed(
    spark: SparkSession, claims: Scored
) -> None:
    changes = all_changes(spark, Claim, legacy(claims.true).claims)
    run = Judgement(claims.true, outcome_of(changes, Forgetful))
    assert run.outcome.exceptions == {"unmapped:status": 613}
    # The next row still shows the mark, so the event is there, without its time.
    assert run.missed == run.invented == Counter({ADVISED: 613})
    late = {(e.basis, e.confidence) for e in run.outcome.events if e.activity == ADVISED}
    assert late == {("commit", "approximate")}


def test_the_page_says_what_was_measured(claims: Scored) -> None:
    page, tables = PAGE.read_text(encoding="utf-8"), of_claims(claims)
    assert filled(page, tables, "claims") == page
