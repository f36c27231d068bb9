"""Observability: whoever is on call sees what happens."""

from __future__ import annotations

from cutline.project.topics import KafkaTopicsSection
from cutline.readiness.gates.rehearsed import rehearsed, undeclared
from cutline.readiness.result import GateResult
from cutline.readiness.slice import ReadinessWork


def observability(work: ReadinessWork) -> GateResult:
    """Green where a rehearsal read the slice's metrics, its report, and the lag of live groups."""
    if isinstance(work.project.file.topics, KafkaTopicsSection) and not work.section.live:
        return undeclared(work, "observability", "live", "whose lag is watched")
    designed = "metrics, report and lag were not looked at beside live traffic"
    return rehearsed(work, "observability", designed)
