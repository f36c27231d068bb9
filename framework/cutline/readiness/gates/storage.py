"""Storage path: there is room for the whole history."""

from __future__ import annotations

from dataclasses import replace

from cutline.readiness.gates.history import whole_history
from cutline.readiness.gates.rehearsed import rehearsed, undeclared
from cutline.readiness.result import GateResult
from cutline.readiness.slice import ReadinessWork


def storage(work: ReadinessWork) -> GateResult:
    """Green where the volume of a rehearsal, reckoned for the whole history, is within capacity."""
    capacity = work.section.capacity
    if capacity is None:
        return undeclared(work, "storage", "capacity", "what there is room for")
    result = rehearsed(work, "storage", "the volume of the history is not measured")
    if result.colour == "red" or result.evidence is None or work.newest_go is None:
        return result
    whole = whole_history(work.newest_go, result.evidence.figures)
    if whole is None:
        return replace(
            result,
            colour="red",
            says=f"run {work.newest_go.run_id} published no history to reckon from",
            next_command=work.rehearse,
        )
    needed = whole.gigabytes * capacity.copies
    says = (
        f"{whole.records:,} records need {needed:,.3f} GB in {capacity.copies} copies, of "
        f"{capacity.gigabytes:,g} GB"
    )
    figures = {"gigabytes": round(needed, 6), "capacity": capacity.gigabytes}
    evidence = replace(result.evidence, figures={**result.evidence.figures, **figures})
    if needed > capacity.gigabytes:
        return GateResult(
            "storage", "red", says, evidence, "make room, then mend `capacity` in cutline.yaml"
        )
    if result.colour == "yellow":
        return replace(result, says=f"{result.says}; {says}", evidence=evidence)
    return replace(result, says=says, evidence=evidence)
