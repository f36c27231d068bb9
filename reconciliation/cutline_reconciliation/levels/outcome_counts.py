"""Counts of the decisions of one outcome, from the pass that writes `outcomes`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from pyspark.sql import Column
from pyspark.sql import functions as F

from cutline.tables.outcome import BREAKING, CLASSES, COMPARED
from cutline_reconciliation.compare.columns import values
from cutline_reconciliation.compare.counts.keyed import KeyedCounts
from cutline_reconciliation.levels.noise import CHURNED, Noise
from cutline_reconciliation.truth.marks import CATEGORY

LEGACY_MONEY, NEW_MONEY, AT_RISK = "legacy_money", "new_money", "at_risk"
_AMOUNTS = (LEGACY_MONEY, NEW_MONEY, AT_RISK)
DEFECTS = {
    "doubled": "subjects are decided more than once by the legacy",
    "nameless": "decisions are about no subject",
    "unreadable": "legacy values are none of the type that the new side decides in",
}
"""Boolean columns of decisions that must be false everywhere, with the message for a true one."""


@dataclass(frozen=True)
class OutcomeCounts:
    """Counts of the decisions of one outcome."""

    by_class: Mapping[str, int]
    """Decisions by class of `outcomes`, zeros included."""
    defects: Mapping[str, int]
    """Decisions with a defect, by name of DEFECTS."""
    with_category: int
    """Decisions with a category."""
    totals: Mapping[str, Decimal | None]
    """The sums of LEGACY_MONEY, NEW_MONEY and AT_RISK over judged decisions.

    Null where no decision has an amount.
    """
    with_amount: Mapping[str, int]
    """Decisions with an amount, for each of the sums."""
    drift: int | None = None
    """Breaks beyond the noise; null without a baseline."""
    noise: Noise | None = None
    """Decisions that differ between the legacy's two moments; null without a baseline."""

    @property
    def breaking(self) -> int:
        """The number of breaks."""
        return sum(self.by_class[name] for name in BREAKING)

    @property
    def at_risk(self) -> Decimal | None:
        """The sum at risk in breaks; 0 where values are amounts and no decision breaks.

        Null where values are no amounts, or where a break has none, as a duplicated decision.
        """
        if self.with_amount[AT_RISK] < self.breaking:
            return None
        if not (self.with_amount[LEGACY_MONEY] or self.with_amount[NEW_MONEY]):
            return None
        return self.totals[AT_RISK] or Decimal(0)


@dataclass(frozen=True)
class OutcomeCounting:
    """The Spark aggregates from which `OutcomeCounts` are read, over decisions of all outcomes."""

    by_class: KeyedCounts[str]
    defects: KeyedCounts[str]
    millionths: KeyedCounts[str]
    with_amount: KeyedCounts[str]
    others: KeyedCounts[str]

    @property
    def columns(self) -> dict[str, Column]:
        """The aggregates by metric."""
        counts = (self.by_class, self.defects, self.millionths, self.with_amount, self.others)
        return {name: column for keyed in counts for name, column in keyed.columns.items()}

    def read(self, metrics: Mapping[str, int]) -> OutcomeCounts:
        """The counts from the metrics of the pass, without the noise, which another pass counts."""
        with_amount = self.with_amount.read(metrics)
        others = self.others.read(metrics)
        return OutcomeCounts(
            by_class=self.by_class.read(metrics),
            defects=self.defects.read(metrics),
            with_category=others[CATEGORY],
            totals={
                name: Decimal(number).scaleb(-6) if with_amount[name] else None
                for name, number in self.millionths.read(metrics).items()
            },
            with_amount=with_amount,
            drift=others.get(_DRIFT),
        )


_DRIFT = "drift"


def outcome_counting(outcome: str, *, drift: bool) -> OutcomeCounting:
    """The Spark aggregates that count decisions of an outcome; `drift` if it has a baseline."""
    mine = F.col("outcome") == outcome
    is_judged = mine & F.col("class").isin(*COMPARED)
    amounts = {name: F.when(is_judged, F.col(name)) for name in _AMOUNTS}
    others = {CATEGORY: F.count_if(mine & F.col(CATEGORY).isNotNull())}
    if drift:
        beyond_noise = F.col("class").isin(*BREAKING) & ~F.col(CHURNED)
        others[_DRIFT] = F.count_if(mine & beyond_noise)
    return OutcomeCounting(
        KeyedCounts(
            {name: F.count_if(mine & (F.col("class") == name)) for name in CLASSES},
            f"{outcome}/class",
        ),
        KeyedCounts(
            {name: F.count_if(mine & F.col(name)) for name in DEFECTS}, f"{outcome}/defect"
        ),
        KeyedCounts(
            {name: _millionths(F.sum(amount)) for name, amount in amounts.items()},
            f"{outcome}/money",
        ),
        KeyedCounts(
            {name: F.count(amount) for name, amount in amounts.items()}, f"{outcome}/with_money"
        ),
        KeyedCounts(others, f"{outcome}/other"),
    )


def _millionths(total: Column) -> Column:
    """An amount as the digits of a whole number of millionths, for metrics are whole numbers."""
    return F.replace(total.cast(values.AMOUNT).cast("string"), F.lit("."), F.lit(""))
