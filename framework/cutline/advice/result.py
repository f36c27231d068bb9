"""An advice as people and programs get it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from cutline.advice.costs import StrategyCost
from cutline.advice.judging import AdviceReason, Confidence, FitVerdict, TurningAnswer
from cutline.advice.needs import Need
from cutline.advice.strategies import Strategy
from cutline.display import paragraph, section, table
from cutline.secrets import document_as_written


@dataclass(frozen=True)
class AdviceFigure:
    """What was looked at: its name, what was measured, in words, and what measured it. Where
    nothing did, `says` is null, and `by` is the command or the option that gives it.
    """

    name: str
    says: str | None
    by: str


@dataclass(frozen=True)
class StrategyAdvice:
    """A strategy: whether it `fits`, is `open` or `does-not-fit`, why, what it costs, and the
    commands that come next if it is chosen."""

    strategy: Strategy
    title: str
    verdict: FitVerdict
    reasons: Sequence[AdviceReason]
    cost: StrategyCost
    commands: Sequence[str]


@dataclass(frozen=True, repr=False)
class Advice:
    """What is recommended for a slice, and all that speaks for and against it.

    `recommended` is the name of a strategy that fits or is open; null where none does. `confidence`
    is `high` where it fits, nothing warns, and no answer that is missing would turn it; `low` where
    something that it depends on is not known; else `medium`. `strategies` are all six, the
    recommended one first. `looked_at` is what was measured, and what was not; `turns` are answers
    that nobody gave and with which the advice would be another one.
    """

    context: str
    region: str
    needs: Sequence[Need]
    recommended: Strategy | None
    confidence: Confidence
    strategies: Sequence[StrategyAdvice]
    looked_at: Sequence[AdviceFigure]
    turns: Sequence[TurningAnswer]

    @property
    def title(self) -> str:
        """What is recommended, in a few words."""
        if self.recommended is None:
            return "Nothing fits as things are"
        return self.strategies[0].title

    @property
    def unknown(self) -> Sequence[AdviceFigure]:
        """What was not measured, each with what gives it."""
        return [figure for figure in self.looked_at if figure.says is None]

    @document_as_written
    def as_json(self) -> dict[str, Any]:
        """The document of `cutline advise --json`."""
        values = asdict(self)
        return {"slice" if name == "region" else name: value for name, value in values.items()}

    def __repr__(self) -> str:
        needs = ", ".join(self.needs)
        return (
            f"<Advice {self.context} {self.region} for {needs}: {self.recommended or 'nothing'}, "
            f"{self.confidence} confidence>"
        )

    def _repr_html_(self) -> str:
        names = ("strategy", "verdict", "why", "messages", "bytes", "seconds", "price", "work")
        rows = [
            [
                advice.title,
                advice.verdict,
                "; ".join(reason.says for reason in advice.reasons),
                advice.cost.messages,
                advice.cost.bytes,
                advice.cost.seconds,
                None
                if advice.cost.price is None
                else f"{advice.cost.price:,.2f} {advice.cost.currency}",
                advice.cost.work,
            ]
            for advice in self.strategies
        ]
        figures = [[figure.name, figure.says, figure.by] for figure in self.looked_at]
        turns = [f"{turn.says} ({turn.option}): {turn.recommends}" for turn in self.turns]
        return section(
            f"{self.title} ({self.confidence} confidence)",
            table(names, rows),
            table(("looked at", "measured", "by"), figures),
            *map(paragraph, turns),
        )
