"""What reconciliation hands on: read back as it was stored, and with the shapes that tables have."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from cutline.results import read_back, result_from
from cutline.results.reconcile import (
    ClusterResult,
    GateVerdict,
    LevelFigures,
    LevelResults,
    ReconcileResult,
    gate_name,
    outcome_book,
)
from cutline.tables import CLUSTERS
from cutline.tables.trend import FIGURES
from cutline_reports.decision import level_sections

STORED = json.loads(
    (Path(__file__).parents[1] / "reconciliation/golden/reconcile_facts.json").read_text()
)


def stored(facts: Mapping[str, Any]) -> ReconcileResult:
    """The result of a stage that a control database keeps with these facts."""
    result = result_from("reconcile", {"rows_in": 0, "rows_out": 0, "facts": facts})
    assert isinstance(result, ReconcileResult)
    return result


def test_what_is_stored_is_read_back_whole() -> None:
    result = read_back(stored(STORED))
    assert isinstance(result, ReconcileResult)
    assert result.stored()["facts"] == STORED
    # A control database sorts keys; what the stage itself hands on keeps their order.
    assert json.dumps(stored(STORED).stored()["facts"]) == json.dumps(STORED)
    assert result.levels.outcome[0].at_risk == Decimal(44)
    assert result.history is not None
    assert result.history.levels["state"].waived == 1
    assert [waiver.money for waiver in result.waivers] == [Decimal(3)]


def test_what_an_older_version_stored_is_read() -> None:
    """Before there were clusters, histories, waivers, late subjects, categories and money."""
    fields_by_level = {
        "record": ("name", "compared", "matched", "missing", "unexpected", "duplicated"),
        "state": ("name", "compared", "matched", "breaks"),
        "outcome": (
            "name", "question", "unit", "compared", "agree", "within_tolerance", "differ",
            "only_legacy", "only_new", "not_eligible",
        ),
    }  # fmt: skip
    levels = {
        level: [{name: row[name] for name in (*names, "explained", "rate")} for row in rows]
        for level, names in fields_by_level.items()
        for rows in [STORED["levels"][level]]
    }
    first = ("unexplained", "decision", "decided_by", "gates")
    result = stored({n: STORED[n] for n in first} | {"levels": levels})
    assert (result.history, result.clusters, result.waivers) == (None, (), ())
    assert result.levels.record[0].breaks == 2
    assert (result.levels.state[0].waived, result.levels.state[0].columns) == (0, {})
    assert result.levels.outcome[0].legacy_total is None
    assert [section.rows[0].compared for section in level_sections(result)] == [7, 4, 7]


def test_what_a_newer_version_stored_besides_is_passed_over() -> None:
    assert stored(STORED | {"later": 1}).stored()["facts"] == STORED


@pytest.mark.parametrize(
    ("parts", "name"),
    [
        (("state",), "state"),
        (("exceptions", "part-missing:lines"), "exceptions:part-missing:lines"),
        (("outcome.drift", "to-promise"), "outcome.drift:to-promise"),
        (("record.category", "", "de"), "record.category:de"),
        (("outcome.category", "to-promise", "de"), "outcome.category:to-promise:de"),
    ],
)
def test_the_name_of_a_gate_is_read_as_it_was_built(parts: tuple[str, ...], name: str) -> None:
    verdict = GateVerdict(gate_name(*parts), True, "fine")
    assert verdict.name == name
    assert verdict.kind == parts[0]
    assert verdict.subject == ":".join(part for part in parts[1:] if part)


def test_the_level_of_exceptions_is_stored_and_older_gates_have_none() -> None:
    gates = [
        {"name": "exceptions:odd", "passed": True, "sentence": "fine", "exception_level": "event"},
        {"name": "exceptions:odd", "passed": True, "sentence": "fine"},
    ]
    result = stored(STORED | {"gates": gates})
    assert [gate.exception_level for gate in result.gates] == ["event", None]
    assert result.stored()["facts"]["gates"] == gates


def test_the_counts_of_an_outcome_are_read_as_they_were_built() -> None:
    counts = {"breaks": {"state": 1}, outcome_book("b"): {"agree": 1}, outcome_book("a:c"): {}}
    result = ReconcileResult(rows_in=0, rows_out=0, counts=counts)
    assert list(result.outcome_counts.items()) == [("a:c", {}), ("b", {"agree": 1})]


def test_a_result_does_not_change() -> None:
    result = ReconcileResult(rows_in=0, rows_out=0, decision="go", levels=LevelResults())
    with pytest.raises(ValidationError, match="frozen"):
        result.decision = "no-go"  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        GateVerdict("state", True, "fine").passed = False  # type: ignore[misc]


def test_clusters_and_figures_have_the_columns_of_their_tables() -> None:
    assert tuple(f.name for f in dataclasses.fields(ClusterResult)) == tuple(CLUSTERS.names)
    assert tuple(f.name for f in dataclasses.fields(LevelFigures)) == FIGURES


NOT_SHOWN = {
    "record": {"compared", "matched", "rate", "breaks"},
    "state": {"compared", "matched", "rate", "breaks"},
    "outcome": {"compared", "noise_compared", "rate", "aggregate", "agree"},
}
"""What the report shows otherwise: as a ratio, or as the breaks by kind or column."""


@pytest.mark.parametrize("level", ["record", "state", "outcome"])
def test_the_report_shows_every_number_that_a_level_has(level: str) -> None:
    """Field by field: each whole number of a level is changed, and its row in the report is."""
    row = STORED["levels"][level][0]
    if level == "outcome":
        row = row | {"noise": 1, "noise_compared": 2, "drift": 1}
    numbers = [n for n, v in row.items() if isinstance(v, int) and n not in NOT_SHOWN[level]]
    unshown = [n for n in numbers if _shown(level, row | {n: row[n] + 1000}) == _shown(level, row)]
    assert (unshown, len(numbers) >= 3) == ([], True)


def _shown(level: str, row: Mapping[str, Any]) -> object:
    levels: dict[str, Any] = {"record": [], "state": [], "outcome": []}
    result = stored(STORED | {"levels": levels | {level: [row]}})
    return level_sections(result)
