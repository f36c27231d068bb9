"""The two major versions: what they share, and the one thing in which they differ."""

from __future__ import annotations

from cutline_domains.fulfilment import FULFILMENT
from cutline_translators.retail import lines_v1, lines_v2
from cutline_translators.retail.v1 import RETAIL_1
from cutline_translators.retail.v2 import RETAIL_2


def test_only_the_lines_are_read_anew() -> None:
    removed = set(RETAIL_1.translators) - set(RETAIL_2.translators)
    new = set(RETAIL_2.translators) - set(RETAIL_1.translators)
    assert (removed, new) == ({lines_v1.ErpLinesV1}, {lines_v2.ErpLines})
    assert {t.major() for t in RETAIL_2.translators if t is not lines_v2.ErpLines} == {1}
    assert (lines_v1.ErpLinesV1.major(), lines_v2.ErpLines.major()) == (1, 2)
    assert lines_v1.ErpLinesV1.name() == lines_v2.ErpLines.name() == "erp-lines"


def test_both_are_chosen_by_one_name_and_their_major() -> None:
    assert {(t.name, t.major, t.context.name) for t in (RETAIL_1, RETAIL_2)} == {
        ("retail", 1, "fulfilment"),
        ("retail", 2, "fulfilment"),
    }


def test_every_event_of_the_context_is_announced_by_a_translator() -> None:
    events = {e for a in FULFILMENT.aggregates for e in a.events}
    for translation in (RETAIL_1, RETAIL_2):
        assert {f.event for t in translation.translators for f in t.facts} == events


def test_every_rule_tells_people_why() -> None:
    for translator in RETAIL_2.translators:
        for rule in translator.row_rules:
            assert rule.reason.endswith(".")
            assert rule.reason != rule.name


def test_the_legacy_answers_for_every_aggregate_and_outcome() -> None:
    for translation in (RETAIL_1, RETAIL_2):
        assert set(translation.truth.aggregates) == {a.name for a in FULFILMENT.aggregates}
        assert set(translation.truth.outcomes) == {o.name for o in FULFILMENT.outcomes}
