"""The limits of one level: rate, breaks and money, in all and by category."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from cutline.project.gates import LevelGate, Limits, MoneyLimits, OutcomeGate
from cutline.results.reconcile import GateVerdict, gate_name
from cutline.wording import counted
from cutline_reconciliation.gates.figures import (
    amount_text,
    at_least_text,
    exact_fraction,
    limit_text,
)


@dataclass(frozen=True)
class Share:
    """Matched and compared subjects (or decisions), and money at risk; None where there are no
    amounts.
    """

    matched: int
    compared: int
    at_risk: Decimal | None

    @property
    def broken(self) -> int:
        """The number of broken subjects (or decisions)."""
        return self.compared - self.matched

    def with_(self, matched: int, compared: int, at_risk: Decimal | None) -> Share:
        """The sum of this share and further numbers."""
        money = [one for one in (self.at_risk, at_risk) if one is not None]
        total = sum(money, Decimal(0)) if money else None
        return Share(self.matched + matched, self.compared + compared, total)


@dataclass(frozen=True)
class LevelShares:
    """The share of a level, and those of its categories by name."""

    whole: Share
    parts: Mapping[str, Share]


@dataclass(frozen=True)
class GateWording:
    """The words of the gates of one level, or of one outcome."""

    level: str
    title: str
    broken: str
    matching: str
    target: str = ""
    about: str = ""
    unit: str = ""

    def verdicts(self, shares: LevelShares, gate: LevelGate | OutcomeGate) -> Iterator[GateVerdict]:
        """A verdict on the rate, one for each further limit, then those of each category."""
        yield self._on_share(shares.whole, gate)
        yield from self._further(shares.whole, gate, self._name("{}"), "")
        for category, limits in gate.categories.items():
            name = self._name("category", category)
            share = shares.parts.get(category, Share(0, 0, None))
            yield self._on_category(share, limits, name, category)
            if share.compared:
                further = self._name("category-{}", category)
                yield from self._further(share, limits, further, f" in {category}")

    def _name(self, limit: str, category: str = "") -> str:
        return gate_name(f"{self.level}.{limit}", self.target, category)

    def _on_share(self, share: Share, limits: Limits) -> GateVerdict:
        name = gate_name(self.level, self.target)
        if not share.compared:
            nothing = f"{self.title}: nothing was compared, which is never GO{self.about}"
            return GateVerdict(name, False, nothing)
        passed, figures = self._rate(share, limits)
        return GateVerdict(name, passed, f"{self.title}: {figures}{self.about}")

    def _on_category(self, share: Share, limits: Limits, name: str, category: str) -> GateVerdict:
        if not share.compared:
            nothing = f"{self.title}: nothing was compared in {category}, which is never GO"
            return GateVerdict(name, False, f"{nothing}{self.about}")
        passed, figures = self._rate(share, limits)
        return GateVerdict(name, passed, f"{self.title}: in {category}, {figures}{self.about}")

    def _rate(self, share: Share, limits: Limits) -> tuple[bool, str]:
        least_rate = limits.least_rate
        matched = Fraction(share.matched, share.compared)
        limit = Fraction(1) if least_rate is None else exact_fraction(least_rate)
        terms = f"{at_least_text(matched, limit)} {self.matching}"
        terms += "" if least_rate is None else f", {limit_text(limit)} needed"
        figures = f"{share.broken:,} of {share.compared:,} {self.broken} ({terms})"
        return least_rate is None or matched >= limit, figures

    def _further(
        self, share: Share, limits: Limits, name: str, where: str
    ) -> Iterator[GateVerdict]:
        if limits.max_breaks is not None:
            measured = f"{self.title}: {share.broken:,} {self.broken}{where}"
            sentence = f"{measured}, at most {limits.max_breaks:,} accepted{self.about}"
            passed = share.broken <= limits.max_breaks
            yield GateVerdict(name.format("breaks"), passed, sentence)
        if isinstance(limits, MoneyLimits) and limits.max_money is not None:
            yield self._on_money(share, limits.max_money, name.format("money"), where)

    def _on_money(self, share: Share, limit: Decimal, name: str, where: str) -> GateVerdict:
        accepted = f"at most {amount_text(limit, self.unit)} accepted{self.about}"
        if share.at_risk is None and share.broken:
            measured = f"{self.title}: what the breaks put at risk{where} is no amount"
            return GateVerdict(name, False, f"{measured}, and {accepted}")
        money = share.at_risk or Decimal(0)
        measured = f"{self.title}: {amount_text(money, self.unit)} at risk{where}"
        measured += f" in {counted(share.broken, 'decision')} of {self.target}"
        return GateVerdict(name, money <= limit, f"{measured}, {accepted}")
