"""Compatibility: what is published can be read by those who will read it."""

from __future__ import annotations

from cutline.readiness.gates.rehearsed import rehearsed
from cutline.readiness.result import GateResult
from cutline.readiness.slice import ReadinessWork


def compatibility(work: ReadinessWork) -> GateResult:
    """Green where rehearsed records were read by `cutline.consumer` and kept their schemas."""
    designed = "no consumer has read what a rehearsal publishes, against the payload schemas"
    return rehearsed(work, "compatibility", designed)
