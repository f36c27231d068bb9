"""Waivers applied to breaks, and the tally of each. DataFrame to DataFrame."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.project.waivers import Waiver, is_expired
from cutline_reconciliation.compare.counts.keyed import KeyedCounts
from cutline_reconciliation.waivers.condition import matches

MATCHED = "_matched_waivers"
_MOST = Decimal(10**38 - 1)
_MATCHED, _WAIVED, _WITH_MONEY, _WHOLE, _MILLIONTHS = (
    "matched",
    "taken",
    "with_money",
    "whole",
    "millionths",
)
"""What is counted of a waiver; `whole` and `millionths` are the two parts of its money."""


@dataclass(frozen=True)
class Tally:
    """The numbers of one waiver in a run."""

    waiver: Waiver
    expired: bool
    """Whether its last day is before the day of the run's knowledge time.

    It then takes no break.
    """
    matched: int
    """Breaks that it matches, with those that an earlier waiver took."""
    taken: int
    """Breaks that it took, or would have taken if it had not expired."""
    money: Fraction
    """The sum at risk of these; of those without, their amounts without sign."""
    unknown: int
    """The number of these with neither."""
    by_level: Mapping[str, int]
    """The number of these by level."""


def with_waiver(breaks: DataFrame, waivers: Sequence[Waiver], at: dt.datetime) -> DataFrame:
    """The breaks with `waiver`: the first in the file that matches and has not expired.

    A second column has the names of all that match, in order, for `WaiverCounting`.
    """
    names = [F.when(matches(w.match), F.lit(w.name)) for w in waivers]
    matched = F.array_compact(F.array(*names)).cast("array<string>")
    valid = [w.name for w in waivers if not is_expired(w, at)]
    matching = breaks.withColumn(MATCHED, matched)
    first = F.get(F.filter(MATCHED, lambda name: name.isin(valid)), F.lit(0))
    return matching.withColumn("waiver", first if valid else F.lit(None).cast("string"))


@dataclass(frozen=True)
class WaiverCounting:
    """The Spark aggregates from which tallies are read, over breaks `with_waiver`."""

    waivers: Sequence[Waiver]
    at: dt.datetime
    """The run's knowledge time, on whose day waivers may have expired."""
    levels: Sequence[str]

    @property
    def counts(self) -> KeyedCounts[tuple[str, str]]:
        """The aggregates by metric."""
        counts: dict[tuple[str, str], Column] = {}
        for waiver in self.waivers:
            matched = F.array_contains(MATCHED, waiver.name)
            # An expired waiver would take breaks that no other waiver takes.
            is_taken = (
                matched & F.col("waiver").isNull()
                if is_expired(waiver, self.at)
                else (F.col("waiver") == waiver.name)
            )
            money = F.when(is_taken, F.coalesce(F.col("at_risk"), F.abs("amount")))
            whole = F.try_sum(F.floor(money).cast("decimal(38,0)"))
            with_money = F.count(money)
            figures = {
                _MATCHED: F.count_if(matched),
                _WAIVED: F.count_if(is_taken),
                _WITH_MONEY: with_money,
                # A sum beyond 38 digits is more than any cap.
                _WHOLE: F.when(with_money > 0, F.coalesce(whole, F.lit(_MOST))),
                _MILLIONTHS: F.sum(((money % 1) * 1_000_000).cast("bigint")),
            } | {level: F.count_if(is_taken & (F.col("level") == level)) for level in self.levels}
            counts |= {(waiver.name, figure): column for figure, column in figures.items()}
        return KeyedCounts(counts, "waiver")

    def tallies(self, metrics: Mapping[str, int]) -> list[Tally]:
        """The tally of each waiver in the order of the file, from the metrics of `counts`."""
        number = self.counts.read(metrics)
        return [
            Tally(
                waiver,
                is_expired(waiver, self.at),
                matched=number[waiver.name, _MATCHED],
                taken=number[waiver.name, _WAIVED],
                money=number[waiver.name, _WHOLE]
                + Fraction(number[waiver.name, _MILLIONTHS], 1_000_000),
                unknown=number[waiver.name, _WAIVED] - number[waiver.name, _WITH_MONEY],
                by_level={
                    level: number[waiver.name, level]
                    for level in self.levels
                    if number[waiver.name, level]
                },
            )
            for waiver in self.waivers
        ]
