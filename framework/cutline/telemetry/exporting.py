"""Spans to a collector. One that does not answer is waited for once."""

from __future__ import annotations

from collections.abc import Sequence

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

from cutline.logs import logger
from cutline.project.telemetry import TelemetrySection
from cutline.telemetry.resource import endpoint_of

_LOG = logger(__name__)


def otlp_exporter(section: TelemetrySection) -> SpanExporter:
    """Sends spans to where cutline.yaml or the environment says."""
    return WaitsOnce(OTLPSpanExporter(endpoint=endpoint_of(section, "traces")))


class WaitsOnce(SpanExporter):
    """Another exporter, which is asked no more once it could not send."""

    def __init__(self, exporter: SpanExporter) -> None:
        self._exporter = exporter
        self._gave_up = False

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Send the spans, unless some could not be sent before."""
        if not self._gave_up:
            result = self._exporter.export(spans)
            if result is SpanExportResult.SUCCESS:
                return result
            self._gave_up = True
            _LOG.warning("traces not sent")
        return SpanExportResult.FAILURE

    def shutdown(self) -> None:
        """Close the other exporter."""
        self._exporter.shutdown()
