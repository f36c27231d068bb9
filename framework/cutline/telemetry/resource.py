"""Who sends: the resource of traces and metrics, and where they go."""

from __future__ import annotations

import logging
import os
from typing import TYPE_CHECKING

from cutline.project.loaded import LoadedProject
from cutline.project.telemetry import TelemetrySection
from cutline.version import __version__

if TYPE_CHECKING:
    from opentelemetry.sdk.resources import Resource

SCOPE = "cutline"
"""The instrumentation scope of spans and instruments."""


def resource_of(project: LoadedProject) -> Resource:
    """Cutline as a service, unless the environment has another name for it."""
    from opentelemetry.sdk.resources import Resource

    attributes = {"service.version": __version__, "cutline.project": project.file.name}
    named = "OTEL_SERVICE_NAME" in os.environ
    if not named and "service.name=" not in os.environ.get("OTEL_RESOURCE_ATTRIBUTES", ""):
        attributes["service.name"] = "cutline"
    return Resource.create(attributes)


def endpoint_of(section: TelemetrySection, signal: str) -> str | None:
    """Where traces or metrics go; null where the environment says it."""
    return None if section.endpoint is None else f"{section.endpoint.rstrip('/')}/v1/{signal}"


def quiet() -> None:
    """OpenTelemetry's own log goes to handlers that somebody adds, and not to stderr by itself."""
    log = logging.getLogger("opentelemetry")
    if not log.handlers:
        log.addHandler(logging.NullHandler())
