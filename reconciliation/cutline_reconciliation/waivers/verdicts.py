"""Verdicts on waivers, which fail if expired, exceeded, unused or too wide."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType

from cutline.results.reconcile import GateVerdict, gate_name
from cutline.wording import counted
from cutline_reconciliation.waivers.apply import Tally


def verdicts(
    tallies: Iterable[Tally],
    levels: Mapping[str, int],
    wide: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> list[GateVerdict]:
    """One verdict per waiver, in the order of the file.

    `levels` has the number of all breaks by level; `wide`, by waiver, the levels at which it
    matches every possible break.
    """
    return [
        GateVerdict(gate_name("waiver", one.waiver.name), passed, sentence)
        for one in tallies
        for passed, sentence in [_verdict(one, levels, wide.get(one.waiver.name, ()))]
    ]


def _verdict(tally: Tally, levels: Mapping[str, int], wide: Sequence[str]) -> tuple[bool, str]:
    waiver = tally.waiver
    title = f"Waiver {waiver.name}"
    if tally.expired:
        would = f"; {counted(tally.taken, 'break')} would be its own" if tally.taken else ""
        return False, f"{title}: its last day was {waiver.expires}{would}"
    if wide:
        everything = f"whatever may break at {' and '.join(wide)} level is its own"
        return False, f"{title}: {everything}. Say which breaks were looked at"
    if not tally.matched:
        return False, f"{title}: it matches nothing. Remove it if its breaks are fixed"
    if not tally.taken:
        others = f"earlier waivers took {_all(tally.matched)} that it matches"
        return False, f"{title}: it is not used, for {others}"
    sentence = f"{title}: {counted(tally.taken, 'break')}, at most {waiver.max_breaks:,}"
    sentence += (
        f"; amounts of {_amount(tally.money)}, at most {_amount(Fraction(waiver.max_money))}"
    )
    if tally.unknown:
        sentence += f" ({tally.unknown:,} without an amount)"
    for level, number in tally.by_level.items():
        if number == levels[level]:
            sentence += f"; that is every break of {level} level"
    if tally.matched > tally.taken:
        sentence += f"; earlier waivers took {tally.matched - tally.taken:,} more that it matches"
    if tally.taken > waiver.max_breaks or tally.money > Fraction(waiver.max_money):
        return False, f"{sentence}. It is exceeded"
    return True, f"{sentence}; accepted up to {waiver.expires} by {waiver.owner} ({waiver.ticket})"


def _all(number: int) -> str:
    return "the one break" if number == 1 else f"all {number:,} breaks"


def _amount(money: Fraction) -> str:
    """An amount in full; money has at most six decimals."""
    whole, rest = divmod(money.numerator * 10**6 // money.denominator, 10**6)
    return f"{whole:,}.{rest:06}".rstrip("0").rstrip(".")
