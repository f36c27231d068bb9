"""The numbers of slices to a collector of OpenTelemetry."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from cutline.api.metrics.names import METRICS
from cutline.api.metrics.sample import Metrics
from cutline.errors import ConfigurationError, RunFailed
from cutline.logs import logger
from cutline.project import LoadedProject
from cutline.telemetry import Gauge, refuse_without_extra, send_gauges

_LOG = logger(__name__)


def send_metrics(project: LoadedProject, metrics: Metrics) -> int:
    """How many numbers were sent; RunFailed where the collector does not take them.

    ConfigurationError where cutline.yaml does not say that numbers are sent. None are where the
    environment switches OpenTelemetry off.
    """
    section = project.file.telemetry
    if section is None or not section.metrics:
        raise ConfigurationError(
            f"{project.config}: telemetry does not say that metrics are sent.",
            left_behind="Nothing was sent.",
            next_step="Say where: telemetry: {endpoint: http://HOST:4318}",
        )
    refuse_without_extra(project)
    gauges = [Gauge(m.name, METRICS[m.name].says, m.labels, m.value) for m in metrics]
    sent = send_gauges(project, section, gauges)
    if sent is None:
        raise RunFailed(
            "the collector did not take the numbers",
            left_behind="They are in the control database as they were.",
            next_step="See whether it is there, then: cutline metrics --send",
        )
    return sent


def send_after_run(project: LoadedProject, metrics: Callable[[], Metrics]) -> None:
    """Send the numbers where cutline.yaml says so. What stands in the way fails no run."""
    section = project.file.telemetry
    if section is None or not section.metrics:
        return
    with suppress(Exception):
        send_metrics(project, metrics())
        return
    _LOG.warning("metrics not sent")
