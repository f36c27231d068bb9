"""A run as a trace: a span for it, and one below it for each stage."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cutline.project.telemetry import TelemetrySection
from cutline.results import ReconcileResult, StageResult
from cutline.telemetry.resource import SCOPE, quiet, resource_of
from cutline.version import __version__
from cutline.workspace import Workspace

if TYPE_CHECKING:
    from opentelemetry.sdk.trace.export import SpanExporter
    from opentelemetry.trace import Span


class TraceObserver:
    """Traces one attempt at a run; all attempts have the run's id as an attribute.

    An error is its kind alone: its text may quote a row.
    """

    def __init__(
        self,
        section: TelemetrySection,
        workspace: Workspace,
        exporter: SpanExporter | None = None,
    ) -> None:
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import SimpleSpanProcessor

        from cutline.telemetry.exporting import otlp_exporter

        quiet()
        self._provider = TracerProvider(
            resource=resource_of(workspace.project), shutdown_on_exit=False
        )
        self._provider.add_span_processor(SimpleSpanProcessor(exporter or otlp_exporter(section)))
        self._tracer = self._provider.get_tracer(SCOPE, __version__)
        self._run: Span | None = None
        self._stage: Span | None = None

    def run_started(self, workspace: Workspace) -> None:
        """The run begins, or goes on."""
        translation = workspace.translation
        attributes = _of_run(workspace) | {
            "cutline.translation": f"{translation.name} {translation.version}"
        }
        self._run = self._tracer.start_span("run", attributes=attributes)

    def stage_started(self, workspace: Workspace, stage: str) -> None:
        """A stage begins."""
        from opentelemetry.trace import set_span_in_context

        assert self._run is not None
        self._stage = self._tracer.start_span(
            f"stage {stage}",
            context=set_span_in_context(self._run),
            attributes=_of_run(workspace) | {"cutline.stage": stage},
        )

    def stage_done(self, workspace: Workspace, stage: str, result: StageResult) -> None:
        """A stage is complete."""
        del workspace, stage
        assert self._stage is not None
        self._stage.set_attribute("cutline.rows_in", result.rows_in)
        self._stage.set_attribute("cutline.rows_out", result.rows_out)
        self._stage.set_attribute("cutline.tables", len(result.tables))
        if isinstance(result, ReconcileResult):
            self._stage.set_attribute("cutline.decision", result.decision)
        self._stage.end()

    def stage_failed(self, workspace: Workspace, stage: str, error: BaseException) -> None:
        """A stage failed, or was interrupted."""
        del workspace, stage
        assert self._stage is not None
        _mark(self._stage, error)
        self._stage.end()

    def run_done(self, workspace: Workspace) -> None:
        """All stages are complete."""
        reconciled = workspace.done.get(ReconcileResult.stage)
        if self._run is not None and isinstance(reconciled, ReconcileResult):
            self._run.set_attribute("cutline.decision", reconciled.decision)
        self._end()

    def run_paused(self, workspace: Workspace) -> None:
        """The attempt ends, and stages that nobody asked for are still to be done."""
        del workspace
        self._end()

    def run_failed(self, workspace: Workspace, error: BaseException) -> None:
        """The run ended before all its stages were complete."""
        del workspace
        assert self._run is not None
        _mark(self._run, error)
        self._end()

    def _end(self) -> None:
        assert self._run is not None
        self._run.end()
        self._provider.shutdown()


def _of_run(workspace: Workspace) -> dict[str, str]:
    return {
        "cutline.context": workspace.context.name,
        "cutline.slice": workspace.region,
        "cutline.run": workspace.run_id,
    }


def _mark(span: Span, error: BaseException) -> None:
    from opentelemetry.trace import Status, StatusCode

    kind = type(error).__name__
    span.set_attribute("error.type", kind)
    span.add_event("exception", {"exception.type": kind})
    span.set_status(Status(StatusCode.ERROR, kind))
