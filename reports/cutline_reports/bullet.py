"""The geometry of a bullet chart: the measure and the threshold of a gate."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from cutline_reports.model import CAP, GateRow
from cutline_reports.rates import share_text

_FLOORS = tuple(Decimal(t) for t in ("0.9999", "0.999", "0.99", "0.9", "0.5", "0"))
_CEILINGS = tuple(Decimal(t) for t in ("0.0001", "0.001", "0.01", "0.1", "0.5", "1"))


@dataclass(frozen=True)
class Bullet:
    """Positions in percent of the chart's width, 0 to 100, and the texts at its axis' ends."""

    measured: float
    required: float
    low: str
    high: str


def bullet(gate: GateRow) -> Bullet | None:
    """The chart of a gate; None without a measure, without a threshold, or if nothing was counted.

    Rates are close to 100 %, shares of exceptions close to 0 %: the axis is cut to a range in which
    both marks are visible, and its ends are labelled.
    """
    if gate.measured is None or gate.required is None or gate.measured.exact is None:
        return None
    measured, required = gate.measured.exact, Fraction(gate.required)
    if gate.kind == CAP:
        ceiling = next(c for c in _CEILINGS if max(measured, required) <= Fraction(c))
        return _between(measured, required, Decimal(0), ceiling)
    floor = next(f for f in _FLOORS if min(measured, required) > Fraction(f) or f == 0)
    return _between(measured, required, floor, Decimal(1))


def _between(measured: Fraction, required: Fraction, low: Decimal, high: Decimal) -> Bullet:
    span = Fraction(high) - Fraction(low)

    def place(share: Fraction) -> float:
        return round(float((share - Fraction(low)) / span * 100), 3)

    return Bullet(place(measured), place(required), share_text(low), share_text(high))
