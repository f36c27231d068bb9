"""Cost boundary: publishing the whole history costs no more than was agreed."""

from __future__ import annotations

from dataclasses import replace

from cutline.project.readiness import CostBoundary
from cutline.readiness.gates.history import WholeHistory, whole_history
from cutline.readiness.gates.rehearsed import rehearsed, undeclared
from cutline.readiness.result import GateResult
from cutline.readiness.slice import ReadinessWork


def cost(work: ReadinessWork) -> GateResult:
    """Green where what a rehearsal measured, by the declared prices, is within the limit."""
    boundary, capacity = work.section.cost, work.section.capacity
    if boundary is None:
        return undeclared(work, "cost", "cost", "what it may cost, and by which prices")
    result = rehearsed(work, "cost", "what the history costs is not measured")
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
    price = price_of(whole, boundary, copies=capacity.copies if capacity else 1)
    says = (
        f"{whole.gigabytes:,.3f} GB in {whole.seconds / 3600:,.2f} hours come to {price:,.2f} "
        f"{boundary.currency}, of {boundary.limit:,.2f}"
    )
    figures = {"price": round(price, 6), "limit": boundary.limit, "currency": boundary.currency}
    evidence = replace(result.evidence, figures={**result.evidence.figures, **figures})
    if price > boundary.limit:
        return GateResult(
            "cost", "red", says, evidence, "agree on it, then mend `cost` in cutline.yaml"
        )
    if result.colour == "yellow":
        return replace(result, says=f"{result.says}; {says}", evidence=evidence)
    return replace(result, says=says, evidence=evidence)


def price_of(whole: WholeHistory, boundary: CostBoundary, *, copies: int) -> float:
    """The price of publishing and keeping a history, in the currency of the boundary."""
    sent = whole.gigabytes * boundary.gigabyte_sent
    storing = whole.gigabytes * copies * boundary.gigabyte_month * boundary.months
    return sent + storing + whole.seconds / 3600 * boundary.hour
