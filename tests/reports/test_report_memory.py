"""The change since the last run and the waivers, from the facts that reconciliation recorded."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from pydantic import TypeAdapter

from cutline.masking import MASK, Masking
from cutline.results.reconcile import HistoryResult, ReconcileResult, WaiverResult
from cutline.tables.trend import FIGURES
from cutline_reports.decision import level_sections
from cutline_reports.memory import change, waiver_rows
from support.reported import FACTS

MASKING = Masking(
    names=frozenset({"email"}),
    keys={},
    subjects=frozenset({"customer"}),
    states={"order": frozenset({"account"})},
)
NOTHING_PERSONAL = Masking(frozenset(), {})
WAIVER: dict[str, Any] = {
    "name": "known",
    "passed": True,
    "sentence": "Waiver known: 2 breaks",
    "expired": False,
    "reason": "Known.",
    "owner": "Ada",
    "ticket": "T-1",
    "expires": "2026-12-31",
    "matched": 2,
    "taken": 2,
    "max_breaks": 3,
    "money": "1306.500000",
    "max_money": "1500",
    "without_amount": 0,
}


def result(match: dict[str, Any]) -> WaiverResult:
    return TypeAdapter(WaiverResult).validate_python(WAIVER | {"match": match})


def shown(match: dict[str, Any], mask: Masking = MASKING) -> dict[str, str]:
    [row] = waiver_rows([result(match)], mask)
    return dict(row.match)


def test_a_waiver_is_told_whole() -> None:
    [row] = waiver_rows([result({"column": "x", "subjects": ["A", "B"]})], NOTHING_PERSONAL)
    assert (row.name, row.owner, row.ticket, row.expires) == ("known", "Ada", "T-1", "2026-12-31")
    assert (row.taken, row.max_breaks) == (2, 3)
    assert (row.money, row.max_money) == (Decimal("1306.5"), 1500)
    assert row.match == {"column": "x", "subjects": "A, B"}


def test_what_a_waiver_says_of_personal_values_and_subjects_is_masked() -> None:
    order = {"level": "state", "name": "order"}
    assert shown(order | {"column": "account", "legacy": "IBAN"})["legacy"] == MASK
    assert shown(order | {"column": "status", "legacy": "open"})["legacy"] == "open"
    assert shown(order | {"column": "email", "new_pattern": "a@*"})["new_pattern"] == MASK
    assert shown(order | {"new": "who knows"})["new"] == MASK
    assert shown(order | {"subjects": ["SO-1"]})["subjects"] == "SO-1"
    assert shown({"name": "customer", "subject_pattern": "ada@*"})["subject_pattern"] == MASK
    assert shown({"level": "outcome", "name": "due", "subjects": ["ada@x"]})["subjects"] == MASK


def test_the_change_has_its_levels_and_its_trend_in_order() -> None:
    counts = dict.fromkeys(FIGURES, 0)
    rows = [
        {"run_id": f"run-{place}", "place": place, "recorded_at": "2026-11-01T06:00:00.000000Z"}
        | {"level": level}
        | counts
        | {"open": place * 10, "waived": place}
        for level in ("state", "outcome", "record")
        for place in (3, 2)
    ]
    counts_by_level = {level: counts | {"fixed": 4} for level in ("record", "state", "outcome")}
    facts = {"compared_with": "run-2", "gone": ["run-x"], "place": 3, "levels": counts_by_level}
    run_change = change(HistoryResult.model_validate(facts), rows)
    assert (run_change.compared_with, run_change.gone) == ("run-2", ("run-x",))
    assert [(level.level, level.fixed) for level in run_change.levels] == [
        ("record", 4),
        ("state", 4),
        ("outcome", 4),
    ]
    assert [(p.run_id, p.open, p.waived) for p in run_change.trend] == [
        ("run-2", 60, 6),
        ("run-3", 90, 9),
    ]
    assert [level.level for level in run_change.trend[0].levels] == ["record", "state", "outcome"]


def test_waived_subjects_are_told_beside_their_level() -> None:
    facts = {
        level: [one | {"waived": 7} for one in of_level]
        for level, of_level in FACTS["levels"].items()
    }
    for level in level_sections(
        ReconcileResult(rows_in=0, rows_out=0, **(FACTS | {"levels": facts}))
    ):
        assert level.rows[0].notes["waived"] == 7
