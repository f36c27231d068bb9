"""Numbers as gauges of OpenTelemetry, read once and sent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from cutline.project.loaded import LoadedProject
from cutline.project.telemetry import TelemetrySection
from cutline.secrets import as_written
from cutline.telemetry.resource import SCOPE, endpoint_of, quiet, resource_of
from cutline.version import __version__

if TYPE_CHECKING:
    from opentelemetry.metrics import _Gauge as Instrument
    from opentelemetry.sdk.metrics.export import MetricsData

_FIRST, _SECONDS = "cutline_", "_seconds"


class Gauge(NamedTuple):
    """One number: its metric's name as Prometheus has it, and what the metric says."""

    name: str
    says: str
    labels: Mapping[str, str]
    value: float


def instrument_name(name: str) -> tuple[str, str]:
    """Name and unit: `cutline_go_timestamp_seconds` is `cutline.go_timestamp` in seconds.

    Where a collector hands them on to Prometheus, they have their names of before.
    """
    plain = name.removesuffix(_SECONDS)
    unit = "s" if plain != name else "{count}"
    return f"cutline.{plain.removeprefix(_FIRST)}", unit


def send_gauges(
    project: LoadedProject, section: TelemetrySection, gauges: Iterable[Gauge]
) -> int | None:
    """How many numbers were sent, at once; null where the collector did not take them.

    None of them where the environment switches OpenTelemetry off.
    """
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
    from opentelemetry.sdk.metrics.export import MetricExportResult

    quiet()
    gauges = list(gauges)
    measured = measured_gauges(project, gauges)
    if measured is None:
        return 0
    exporter = OTLPMetricExporter(endpoint=endpoint_of(section, "metrics"))
    try:
        result = exporter.export(measured)
        return len(gauges) if result is MetricExportResult.SUCCESS else None
    finally:
        exporter.shutdown()


def measured_gauges(project: LoadedProject, gauges: Iterable[Gauge]) -> MetricsData | None:
    """The numbers as instruments of OpenTelemetry have them; null where there are none, and
    where the environment switches OpenTelemetry off."""
    from opentelemetry.sdk.metrics import MeterProvider
    from opentelemetry.sdk.metrics.export import InMemoryMetricReader

    reader = InMemoryMetricReader()
    provider = MeterProvider([reader], resource_of(project), shutdown_on_exit=False)
    meter = provider.get_meter(SCOPE, __version__)
    instruments: dict[str, Instrument] = {}
    for gauge in gauges:
        if gauge.name not in instruments:
            name, unit = instrument_name(gauge.name)
            instruments[gauge.name] = meter.create_gauge(name, unit, gauge.says)
        labels = {label: as_written(value) for label, value in gauge.labels.items()}
        instruments[gauge.name].set(gauge.value, labels)
    measured = reader.get_metrics_data()
    provider.shutdown()
    return measured
