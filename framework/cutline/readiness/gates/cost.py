"""Cost boundary: publishing the whole history costs no more than was agreed."""

from __future__ import annotations

from cutline.project.readiness import CostBoundary
from cutline.readiness.gates.history import Reckoned, WholeHistory, reckoned
from cutline.readiness.gates.rehearsed import undeclared
from cutline.readiness.result import GateResult
from cutline.readiness.slice import ReadinessWork


def cost(work: ReadinessWork) -> GateResult:
    """Green where what a rehearsal measured, by the declared prices, is within the limit."""
    boundary, capacity = work.section.cost, work.section.capacity
    if boundary is None:
        return undeclared(work, "cost", "cost", "what it may cost, and by which prices")

    def reckon(whole: WholeHistory) -> Reckoned:
        price = price_of(whole, boundary, copies=capacity.copies if capacity else 1)
        return Reckoned(
            says=f"{whole.gigabytes:,.3f} GB in {whole.seconds / 3600:,.2f} hours come to "
            f"{price:,.2f} {boundary.currency}, of {boundary.limit:,.2f}",
            is_more=price > boundary.limit,
            figures={
                "price": round(price, 6),
                "limit": boundary.limit,
                "currency": boundary.currency,
            },
            otherwise="agree on it, then mend `cost` in cutline.yaml",
        )

    return reckoned(work, "cost", "what the history costs is not measured", reckon)


def price_of(whole: WholeHistory, boundary: CostBoundary, *, copies: int) -> float:
    """The price of publishing and keeping a history, in the currency of the boundary."""
    sent = whole.gigabytes * boundary.gigabyte_sent
    storing = whole.gigabytes * copies * boundary.gigabyte_month * boundary.months
    return sent + storing + whole.seconds / 3600 * boundary.hour
