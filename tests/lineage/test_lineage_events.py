"""The events of a whole run: as OpenLineage's schemas say, and true."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cutline.control import RunRecord
from cutline.lineage import LineageObserver
from cutline.results import ReconcileResult, ReportResult
from cutline.run.observers import Observers, observers_of
from cutline.secrets import forget_secrets, keep_secret
from cutline.tables import TIMELINE
from cutline.workspace import Workspace
from support.openlineage import check_event, events_of

Observed = Callable[..., tuple[Workspace, RunRecord]]
STAGES = ("extract", "translate", "merge", "project", "reconcile", "report")
Event = dict[str, Any]


def replay(observers: Observers, workspace: Workspace, record: RunRecord) -> None:
    """Tell observers of a run what they would have been told while it worked."""
    results = record.results()
    now = replace(workspace, done={})
    observers.tell(lambda o: o.run_started(now))
    for stage in STAGES:
        observers.tell(lambda o: o.stage_started(now, stage))  # noqa: B023
        now = replace(now, done={**now.done, stage: results[stage]})
        observers.tell(lambda o: o.stage_done(now, stage, results[stage]))  # noqa: B023
    observers.tell(lambda o: o.run_done(now))


@pytest.fixture
def events(observed: Observed, tmp_path: Path) -> list[Event]:
    workspace, record = observed(lineage={"file": "lineage.jsonl"})
    replay(observers_of(workspace), workspace, record)
    return events_of(tmp_path / "lineage.jsonl")


def datasets(event: Event, side: str) -> dict[str, Event]:
    """By the last part of its name."""
    return {d["name"].replace("#", "/").rpartition("/")[2]: d for d in event[side]}


def test_a_run_and_its_stages(events: list[Event], observed: Observed, tmp_path: Path) -> None:
    workspace, record = observed(lineage={"file": "other.jsonl"})
    names = [(e["eventType"], e["job"]["name"]) for e in events]
    job = f"{record.context}.{record.region}"
    assert names == [
        ("START", job),
        *((t, f"{job}.{s}") for s in STAGES for t in ("START", "COMPLETE")),
        ("COMPLETE", job),
    ]
    run = events[0]["run"]["runId"]
    assert {e["run"]["runId"] for e in events if e["job"]["name"] == job} == {run}
    of_stages = [e for e in events if e["job"]["name"] != job]
    assert {e["run"]["facets"]["parent"]["run"]["runId"] for e in of_stages} == {run}
    assert len({e["run"]["runId"] for e in of_stages}) == len(STAGES)
    # Whoever goes on with the run later tells of the same.
    replay(observers_of(workspace), workspace, record)
    again = events_of(tmp_path / "other.jsonl")
    assert [e["run"]["runId"] for e in again] == [e["run"]["runId"] for e in events]

    whole = events[-1]
    outputs = datasets(whole, "outputs")
    rows = {name: d["outputFacets"]["outputStatistics"]["rowCount"] for name, d in outputs.items()}
    tables = {table.name: table.rows for table in record.tables()}
    assert {name: n for name, n in rows.items() if name in tables} == tables
    reported = record.result_of(ReportResult)
    assert reported is not None
    assert {name: n for name, n in rows.items() if name not in tables} == dict(reported.published)
    state = outputs["state_customer_order"]["facets"]["schema"]["fields"]
    assert {"name": "subject", "type": "string"} in state
    timeline = outputs["timeline"]["facets"]
    assert [f["name"] for f in timeline["schema"]["fields"]] == list(TIMELINE.names)
    assert timeline["version"]["datasetVersion"] == record.run_id
    assert record.run_id not in outputs["timeline"]["name"]
    inputs = datasets(whole, "inputs")
    read = datasets(events[2], "inputs")
    assert {name for name in inputs if "live" not in name} == set(read)
    orders = next(d for name, d in read.items() if name.startswith("orders"))
    assert orders["facets"]["dataSource"]["name"] == "erp"
    assert orders["inputFacets"]["inputStatistics"]["rowCount"] > 0
    tags = {t["key"]: t["value"] for t in whole["run"]["facets"]["tags"]["tags"]}
    assert (tags["run"], tags["decision"]) == (record.run_id, "go")
    assert "decision" not in {t["key"] for t in events[0]["run"]["facets"]["tags"]["tags"]}


def test_each_stage_reads_what_the_ones_before_it_wrote(events: list[Event]) -> None:
    written: set[str] = set()
    for event in (e for e in events[1:-1] if e["eventType"] == "COMPLETE"):
        if not event["job"]["name"].endswith(".extract"):
            inputs = {n for n in datasets(event, "inputs") if not n.endswith(".live")}
            assert inputs
            assert inputs <= written, event["job"]["name"]
        written |= set(datasets(event, "outputs"))


def test_gates_are_tests_of_the_run_and_assertions_on_what_they_are_on(
    events: list[Event], observed: Observed
) -> None:
    _, record = observed(lineage={"file": "other.jsonl"})
    reconciled = record.result_of(ReconcileResult)
    assert reconciled is not None
    expected = {gate.name: gate.passed for gate in reconciled.gates}
    (event,) = (
        e for e in events if e["job"]["name"].endswith("reconcile") and e["eventType"] == "COMPLETE"
    )
    tests = event["run"]["facets"]["test"]["tests"]
    assert {t["name"]: t["status"] == "pass" for t in tests} == expected
    asserted = {
        (name, a["name"]): a["success"]
        for name, d in datasets(event, "inputs").items()
        for a in d.get("inputFacets", {}).get("dataQualityAssertions", {}).get("assertions", ())
    }
    rule = next(gate for gate in reconciled.gates if gate.kind == "exceptions")
    assert asserted["exceptions", rule.name] == rule.passed
    outcome = next(gate for gate in reconciled.gates if gate.kind == "outcome")
    assert any(gate == outcome.name and table.startswith("state_") for table, gate in asserted)


def test_how_a_stage_ends_otherwise(observed: Observed, tmp_path: Path) -> None:
    workspace, _ = observed(lineage={"file": "lineage.jsonl", "namespace": "retail-prod"})
    observer = LineageObserver(workspace.project.file.lineage, workspace)  # type: ignore[arg-type]
    observer.stage_failed(workspace, "merge", ValueError("Ada Lovelace"))
    observer.run_failed(workspace, ValueError("Ada Lovelace"))
    observer.stage_failed(workspace, "merge", KeyboardInterrupt())
    observer.run_failed(workspace, KeyboardInterrupt())
    events = events_of(tmp_path / "lineage.jsonl")
    assert [e["eventType"] for e in events] == ["FAIL", "FAIL", "ABORT", "ABORT"]
    assert [e["run"]["facets"]["errorMessage"]["message"] for e in events] == [
        "stage merge failed: ValueError; `cutline runs` says why",
        "the run failed: ValueError; `cutline runs` says why",
        "stage merge was interrupted",
        "the run was interrupted",
    ]
    assert {e["job"]["namespace"] for e in events} == {"retail-prod"}
    assert "Lovelace" not in (tmp_path / "lineage.jsonl").read_text(encoding="utf-8")


def test_secrets_are_in_no_event(observed: Observed, tmp_path: Path) -> None:
    workspace, record = observed(lineage={"file": "lineage.jsonl"})
    folder = workspace.project.folder
    # Whatever text of the project a secret is in, such as a folder's.
    keep_secret(folder.name, "${FOLDER_PW}")
    try:
        replay(observers_of(workspace), workspace, record)
    finally:
        forget_secrets()
    text = (tmp_path / "lineage.jsonl").read_text(encoding="utf-8")
    assert folder.name not in text
    assert "${FOLDER_PW}" in text
    for line in text.splitlines():
        check_event(json.loads(line))
