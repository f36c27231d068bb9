"""Offset control: nobody's position moves because history is published."""

from __future__ import annotations

from cutline.project.topics import KafkaTopicsSection
from cutline.readiness.gates.rehearsed import undeclared, watched
from cutline.readiness.result import GateResult
from cutline.readiness.slice import ReadinessWork


def offsets(work: ReadinessWork) -> GateResult:
    """Green where a rehearsal left the project's topics and all live groups as they were."""
    if isinstance(work.project.file.topics, KafkaTopicsSection) and not work.section.live:
        return undeclared(work, "offsets", "live", "which consumer groups read the live traffic")
    designed = "what a rehearsal does to topics and to the positions of live groups"
    return watched(work, "offsets", designed)
