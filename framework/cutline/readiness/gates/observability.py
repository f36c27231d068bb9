"""Observability: whoever is on call sees what happens."""

from __future__ import annotations

from cutline.project.topics import KafkaTopicsSection
from cutline.readiness.gates.rehearsed import undeclared, watched
from cutline.readiness.result import GateResult
from cutline.readiness.slice import ReadinessWork


def observability(work: ReadinessWork) -> GateResult:
    """Green where a rehearsal read the slice's metrics and report, and each live group's lag."""
    if isinstance(work.project.file.topics, KafkaTopicsSection) and not work.section.live:
        return undeclared(work, "observability", "live", "whose lag is watched")
    designed = "metrics, report and lag were not looked at beside live traffic"
    return watched(work, "observability", designed)
