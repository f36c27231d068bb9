"""Runs as traces: a span for each stage, what they say, and collectors that do not answer."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode
from pyspark.sql import SparkSession

from cutline.errors import RunFailed
from cutline.project import load
from cutline.project.telemetry import TelemetrySection
from cutline.results import EXTRACT, RECONCILE, ReconcileResult, StageResult
from cutline.run.progress import ignore_events
from cutline.run.runner import run
from cutline.stage import Stage
from cutline.telemetry import TraceObserver
from cutline.telemetry.exporting import WaitsOnce
from cutline.workspace import Workspace
from cutline_translators.retail.estate import write_project
from support.collector import attributes, running_collector
from support.sample_project import document, write
from support.whole_runs import REGION

OF_RUN = {"cutline.context": "fulfilment", "cutline.slice": "eu-west", "cutline.run": "run-1"}


@pytest.fixture
def workspace(tmp_path: Path) -> Any:
    """As much of a workspace as a trace has of it."""
    return SimpleNamespace(
        project=load(write(tmp_path, document())),
        context=SimpleNamespace(name="fulfilment"),
        region="eu-west",
        run_id="run-1",
        translation=SimpleNamespace(name="retail", version="2.0.0"),
        done={},
    )


def of(span: ReadableSpan) -> dict[str, Any]:
    return dict(span.attributes or {})


def test_stages_are_spans_below_the_run(workspace: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OTEL_SERVICE_NAME", raising=False)
    exporter = InMemorySpanExporter()
    observer = TraceObserver(TelemetrySection(), workspace, exporter)
    observer.run_started(workspace)
    observer.stage_started(workspace, EXTRACT)
    observer.stage_done(workspace, EXTRACT, StageResult(rows_in=7, rows_out=5))
    observer.stage_started(workspace, RECONCILE)
    workspace.done[RECONCILE] = ReconcileResult(rows_in=3, rows_out=0, decision="no-go")
    observer.stage_done(workspace, RECONCILE, workspace.done[RECONCILE])
    observer.run_done(workspace)
    extract, reconcile, whole = exporter.get_finished_spans()
    assert [s.name for s in (extract, reconcile, whole)] == [
        "stage extract",
        "stage reconcile",
        "run",
    ]
    assert of(extract) == OF_RUN | {
        "cutline.stage": EXTRACT,
        "cutline.rows_in": 7,
        "cutline.rows_out": 5,
        "cutline.tables": 0,
    }
    assert of(reconcile)["cutline.decision"] == "no-go"
    assert of(whole) == OF_RUN | {
        "cutline.translation": "retail 2.0.0",
        "cutline.decision": "no-go",
    }
    assert {s.context.trace_id for s in (extract, reconcile)} == {whole.context.trace_id}
    assert extract.parent is not None
    assert extract.parent.span_id == whole.context.span_id
    assert whole.resource.attributes["service.name"] == "cutline"
    assert whole.resource.attributes["cutline.project"] == workspace.project.file.name


def test_an_error_is_its_kind(workspace: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_SERVICE_NAME", "migration")
    exporter = InMemorySpanExporter()
    observer = TraceObserver(TelemetrySection(), workspace, exporter)
    observer.run_started(workspace)
    observer.stage_started(workspace, EXTRACT)
    observer.stage_failed(workspace, EXTRACT, ValueError("Ada Lovelace"))
    observer.run_failed(workspace, ValueError("Ada Lovelace"))
    for span in exporter.get_finished_spans():
        assert span.status.status_code is StatusCode.ERROR
        assert of(span)["error.type"] == "ValueError"
        assert [(e.name, dict(e.attributes or {})) for e in span.events] == [
            ("exception", {"exception.type": "ValueError"})
        ]
        assert "Lovelace" not in span.to_json()
        assert span.resource.attributes["service.name"] == "migration"
    assert len(exporter.get_finished_spans()) == 2


def test_what_is_left_for_later_is_no_error(workspace: Any) -> None:
    exporter = InMemorySpanExporter()
    observer = TraceObserver(TelemetrySection(), workspace, exporter)
    observer.run_started(workspace)
    observer.run_paused(workspace)
    (span,) = exporter.get_finished_spans()
    assert span.status.status_code is StatusCode.UNSET


def test_a_collector_that_does_not_answer_is_asked_once(caplog: pytest.LogCaptureFixture) -> None:
    class FailingExporter(InMemorySpanExporter):
        export_calls = 0

        def export(self, spans: Any) -> SpanExportResult:
            self.export_calls += 1
            return SpanExportResult.FAILURE

    failing = FailingExporter()
    waits: SpanExporter = WaitsOnce(failing)
    with caplog.at_level("WARNING", logger="cutline.telemetry.exporting"):
        assert [waits.export([]) for _ in range(3)] == [SpanExportResult.FAILURE] * 3
    assert failing.export_calls == 1
    assert [record.message for record in caplog.records] == ["traces not sent"]


def broken(workspace: Workspace) -> StageResult:
    raise ValueError("an odd number")


def sound(workspace: Workspace) -> StageResult:
    return StageResult(rows_in=2, rows_out=1)


def test_a_run_is_traced_to_a_collector(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20geheim")
    write_project(tmp_path, 100, 7, 1)
    config = tmp_path / "cutline.yaml"
    written = yaml.safe_load(config.read_text(encoding="utf-8"))
    with running_collector() as collector:
        telemetry = {"telemetry": {"endpoint": collector.endpoint}}
        config.write_text(yaml.safe_dump(written | telemetry), encoding="utf-8")
        project = load(tmp_path, REGION)
        with pytest.raises(RunFailed):
            run(project, "fulfilment", REGION, [Stage(EXTRACT, broken)], (), ignore_events)
        run(project, "fulfilment", REGION, [Stage(EXTRACT, sound)], (), ignore_events)
    spans = collector.spans()
    assert [s.name for s in spans] == ["stage extract", "run"] * 2
    assert len({s.trace_id for s in spans}) == 2
    assert len({attributes(s)["cutline.run"] for s in spans}) == 1
    assert [attributes(s).get("error.type") for s in spans] == [
        "ValueError",
        "RunFailed",
        None,
        None,
    ]
    assert attributes(spans[2])["cutline.rows_out"] == 1
    assert {h["authorization"] for h in collector.headers} == {"Bearer geheim"}
    assert b"an odd number" not in b"".join(r.SerializeToString() for r in collector.traces)
