"""Storage path: there is room for the whole history."""

from __future__ import annotations

from cutline.readiness.gates.history import Reckoned, WholeHistory, reckoned
from cutline.readiness.gates.rehearsed import undeclared
from cutline.readiness.result import GateResult
from cutline.readiness.slice import ReadinessWork


def storage(work: ReadinessWork) -> GateResult:
    """Green where the volume of a rehearsal, reckoned for the whole history, is within capacity."""
    capacity = work.section.capacity
    if capacity is None:
        return undeclared(work, "storage", "capacity", "what there is room for")

    def reckon(whole: WholeHistory) -> Reckoned:
        needed = whole.gigabytes * capacity.copies
        return Reckoned(
            says=f"{whole.records:,} records need {needed:,.3f} GB in {capacity.copies} copies, of "
            f"{capacity.gigabytes:,g} GB",
            is_more=needed > capacity.gigabytes,
            figures={"gigabytes": round(needed, 6), "capacity": capacity.gigabytes},
            otherwise="make room, then mend `capacity` in cutline.yaml",
        )

    return reckoned(work, "storage", "the volume of the history is not measured", reckon)
