"""Telemetry: whether runs are traced, and numbers of slices sent, by OpenTelemetry."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from cutline.project.base import Section


class TelemetrySection(Section):
    """Traces and metrics by OpenTelemetry's protocol (OTLP over HTTP), for whoever collects them.

    What is not said here the standard variables `OTEL_*` say, headers and certificates among them.
    """

    endpoint: str | None = Field(default=None, pattern=r"^https?://[^@?#]+$")
    """The collector, such as `http://collector:4318`, without a password. Left out, as
    `OTEL_EXPORTER_OTLP_ENDPOINT` says, and without that `http://localhost:4318`."""
    traces: bool = True
    """Whether each run is a trace, with a span for each stage."""
    metrics: bool = True
    """Whether the numbers of `cutline metrics` are sent after each run."""

    @model_validator(mode="after")
    def _sends_something(self) -> Self:
        if not (self.traces or self.metrics):
            raise ValueError("neither traces nor metrics: leave telemetry out instead")
        return self
