"""Whether OpenTelemetry is there, where cutline.yaml asks for it."""

from __future__ import annotations

from importlib.util import find_spec

from cutline.errors import ConfigurationError
from cutline.project.loaded import LoadedProject

INSTALL = "pip install 'cutline[otel]'"
_MODULES = ("opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.http")


def refuse_without_extra(project: LoadedProject) -> None:
    """ConfigurationError if cutline.yaml has `telemetry` and OpenTelemetry is not installed."""
    if project.file.telemetry is None or all(map(_is_there, _MODULES)):
        return
    raise ConfigurationError(
        f"{project.config}: telemetry needs OpenTelemetry's SDK and exporter, which are not "
        "installed.",
        left_behind="Nothing was started.",
        next_step=f"{INSTALL}, or leave telemetry out.",
    )


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False
