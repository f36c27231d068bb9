"""Waivers applied to breaks: which takes which, and what each comes to. DataFrame to DataFrame."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.project.waivers import Waiver
from cutline_reconciliation.waivers.condition import matches

MATCHED = "_matched_waivers"
_MOST = Decimal(10**38 - 1)


@dataclass(frozen=True)
class Tally:
    """What one waiver came to in a run."""

    waiver: Waiver
    expired: bool
    """Whether its last day is before the day of the run's knowledge time; then it takes none."""
    matched: int
    """Breaks that it matches, those that an earlier one took included."""
    taken: int
    """Breaks that it took, or would have if it had not expired."""
    money: Fraction
    """What these put at risk, and of those that say no such thing their amounts without sign."""
    unknown: int
    """How many of these have neither."""
    by_level: Mapping[str, int]
    """How many of these are of each level."""


def waived(breaks: DataFrame, waivers: Sequence[Waiver], at: dt.datetime) -> DataFrame:
    """The breaks with `waiver`: the first in the file that matches and has not expired.

    Beside it stand the names of all that match, in order, which `tallies` reads.
    """
    names = [F.when(matches(w.match), F.lit(w.name)) for w in waivers]
    matched = F.array_compact(F.array(*names)).cast("array<string>")
    valid = [w.name for w in waivers if not expired(w, at)]
    told = breaks.withColumn(MATCHED, matched)
    first = F.get(F.filter(MATCHED, lambda name: name.isin(valid)), F.lit(0))
    return told.withColumn("waiver", first if valid else F.lit(None).cast("string"))


def expired(waiver: Waiver, at: dt.datetime) -> bool:
    """Whether it holds no longer on the day of this moment, in UTC."""
    return at.astimezone(dt.UTC).date() > waiver.expires


def waiver_counts(
    waivers: Sequence[Waiver], at: dt.datetime, levels: Sequence[str]
) -> dict[str, Column]:
    """Aggregates over `waived` breaks, which `tallies` reads."""
    counts: dict[str, Column] = {}
    for waiver in waivers:
        matched = F.array_contains(MATCHED, waiver.name)
        # What an expired one would take: what nobody else does.
        mine = (
            matched & F.col("waiver").isNull()
            if expired(waiver, at)
            else (F.col("waiver") == waiver.name)
        )
        money = F.when(mine, F.coalesce(F.col("at_risk"), F.abs("amount")))
        whole = F.try_sum(F.floor(money).cast("decimal(38,0)"))
        known = F.count(money)
        counts |= {
            f"waiver/{waiver.name}/matched": F.count_if(matched),
            f"waiver/{waiver.name}/taken": F.count_if(mine),
            f"waiver/{waiver.name}/known": known,
            # A sum beyond 38 digits is more than any cap.
            f"waiver/{waiver.name}/whole": F.when(known > 0, F.coalesce(whole, F.lit(_MOST))),
            f"waiver/{waiver.name}/millionths": F.sum(((money % 1) * 1_000_000).cast("bigint")),
        }
        counts |= {
            f"waiver/{waiver.name}/{level}": F.count_if(mine & (F.col("level") == level))
            for level in levels
        }
    return counts


def tallies(
    waivers: Sequence[Waiver], at: dt.datetime, levels: Sequence[str], counts: Mapping[str, int]
) -> list[Tally]:
    """What each waiver came to, in their order."""
    made = []
    for waiver in waivers:
        of = {
            key.rpartition("/")[2]: number
            for key, number in counts.items()
            if key.startswith(f"waiver/{waiver.name}/")
        }
        made.append(
            Tally(
                waiver,
                expired(waiver, at),
                of["matched"],
                of["taken"],
                of["whole"] + Fraction(of["millionths"], 1_000_000),
                of["taken"] - of["known"],
                {level: of[level] for level in levels if of[level]},
            )
        )
    return made
