"""What the gates say of waivers: one that has expired, is exceeded, is unused or takes everything
says no."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType

from cutline.wording import counted
from cutline_reconciliation.results import GateVerdict
from cutline_reconciliation.waivers.apply import Tally


def verdicts(
    tallies: Iterable[Tally],
    levels: Mapping[str, int],
    wide: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> list[GateVerdict]:
    """One verdict per waiver, in the order of the file; `levels` has all breaks by level, and
    `wide` by waiver the levels at which it would take whatever may break."""
    return [
        GateVerdict(f"waiver:{one.waiver.name}", passed, sentence)
        for one in tallies
        for passed, sentence in [_verdict(one, levels, wide.get(one.waiver.name, ()))]
    ]


def _verdict(one: Tally, levels: Mapping[str, int], wide: Sequence[str]) -> tuple[bool, str]:
    waiver = one.waiver
    called = f"Waiver {waiver.name}"
    if one.expired:
        would = f"; {counted(one.taken, 'break')} would be its own" if one.taken else ""
        return False, f"{called}: its last day was {waiver.expires}{would}"
    if wide:
        everything = f"whatever may break at {' and '.join(wide)} level is its own"
        return False, f"{called}: {everything}. Say which breaks were looked at"
    if not one.matched:
        return False, f"{called}: it matches nothing. Remove it if its breaks are fixed"
    if not one.taken:
        others = f"earlier waivers took {_all(one.matched)} that it matches"
        return False, f"{called}: it is not used, for {others}"
    told = f"{called}: {counted(one.taken, 'break')}, at most {waiver.max_breaks:,}"
    told += f"; amounts of {_amount(one.money)}, at most {_amount(Fraction(waiver.max_money))}"
    if one.unknown:
        told += f" ({one.unknown:,} without an amount)"
    for level, taken in one.by_level.items():
        if taken == levels[level]:
            told += f"; that is every break of {level} level"
    if one.matched > one.taken:
        told += f"; earlier waivers took {one.matched - one.taken:,} more that it matches"
    if one.taken > waiver.max_breaks or one.money > Fraction(waiver.max_money):
        return False, f"{told}. It is exceeded"
    return True, f"{told}; accepted up to {waiver.expires} by {waiver.owner} ({waiver.ticket})"


def _all(number: int) -> str:
    return "the one break" if number == 1 else f"all {number:,} breaks"


def _amount(money: Fraction) -> str:
    """In full; money has at most six decimals."""
    whole, rest = divmod(money.numerator * 10**6 // money.denominator, 10**6)
    return f"{whole:,}.{rest:06}".rstrip("0").rstrip(".")
