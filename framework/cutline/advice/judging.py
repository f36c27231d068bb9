"""From a situation to an advice: the verdict on each strategy, their order, and what would turn it.

Pure: the same situation gives the same advice.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from cutline.advice.needs import NONE
from cutline.advice.rules import RULES, Effect, is_large, window_of
from cutline.advice.sentences import sentence_words
from cutline.advice.situation import Situation
from cutline.advice.strategies import STRATEGIES, Strategy
from cutline.advice.words import span

FitVerdict = Literal["fits", "open", "does-not-fit"]
Confidence = Literal["high", "medium", "low"]

_RANK: Mapping[FitVerdict, int] = {"fits": 0, "open": 1, "does-not-fit": 2}
BY_COST: tuple[Strategy, ...] = (
    "no-backfill",
    "script",
    "state-backfill",
    "read-model-rebuild",
    "raw-replay",
    "synthetic-events",
)
"""Of what fits the first is recommended: it gives all that is needed for the least, and what was
said then comes before what rows tell of it."""
_BY_TRIAL: tuple[Strategy, ...] = (
    "no-backfill",
    "state-backfill",
    "synthetic-events",
    "raw-replay",
    "script",
    "read-model-rebuild",
)
"""Of what is open the first is recommended: what a run shows comes before what people must say."""


@dataclass(frozen=True)
class AdviceReason:
    """One rule that holds: what it does to a strategy (`speaks-for`, `warns`, `opens` or
    `rules-out`), and why."""

    effect: Effect
    says: str


@dataclass(frozen=True)
class Judgement:
    """The verdict on a strategy, with its reasons, those that decide it first."""

    strategy: Strategy
    verdict: FitVerdict
    reasons: tuple[AdviceReason, ...]


@dataclass(frozen=True)
class TurningAnswer:
    """What would turn the advice: the answer that nobody gave, and what is recommended then."""

    option: str
    says: str
    recommends: Strategy | None


@dataclass(frozen=True)
class Opinion:
    """The judgements, the best first; what is recommended, null where nothing fits; how sure that
    is; and which answers would turn it.

    `high`: it fits, nothing warns, and no answer that is missing would turn it. `low`: something is
    not known that it depends on. Else `medium`.
    """

    judgements: tuple[Judgement, ...]
    recommended: Strategy | None
    confidence: Confidence
    turns: tuple[TurningAnswer, ...]


def opinion(situation: Situation) -> Opinion:
    """What is to be said of a situation."""
    judgements = _ranked(situation)
    best = judgements[0]
    recommended = None if best.verdict == "does-not-fit" else best.strategy
    turns = tuple(_turns(situation, recommended))
    return Opinion(judgements, recommended, _confidence(situation, best, turns), turns)


def _ranked(situation: Situation) -> tuple[Judgement, ...]:
    cost = list(BY_COST)
    if is_large(situation):
        # A large table is filled faster from tables than by a message for each subject.
        cost.remove("read-model-rebuild")
        cost.insert(cost.index("state-backfill"), "read-model-rebuild")

    def rank(judgement: Judgement) -> tuple[int, int]:
        order = cost if judgement.verdict == "fits" else _BY_TRIAL
        return _RANK[judgement.verdict], order.index(judgement.strategy)

    return tuple(sorted((_judgement(s, situation) for s in STRATEGIES), key=rank))


def _judgement(strategy: Strategy, situation: Situation) -> Judgement:
    words = sentence_words(situation)
    reasons = [
        AdviceReason(rule.effect, rule.says.format_map(words))
        for rule in RULES
        if strategy in rule.strategies and rule.holds(situation)
    ]
    effects = {reason.effect for reason in reasons}
    verdict: FitVerdict = "fits"
    if "rules-out" in effects:
        verdict = "does-not-fit"
        # What else could be said for and against it is of no use to anybody.
        reasons = [reason for reason in reasons if reason.effect == "rules-out"]
    elif "opens" in effects:
        verdict = "open"
    order: tuple[Effect, ...] = ("rules-out", "opens", "speaks-for", "warns")
    return Judgement(strategy, verdict, tuple(sorted(reasons, key=lambda r: order.index(r.effect))))


def _confidence(
    situation: Situation, best: Judgement, turns: tuple[TurningAnswer, ...]
) -> Confidence:
    if best.verdict == "open" or (best.verdict == "does-not-fit" and situation.run is None):
        return "low"
    warns = any(reason.effect == "warns" for reason in best.reasons)
    return "medium" if warns or turns or best.verdict == "does-not-fit" else "high"


def _turns(situation: Situation, recommended: Strategy | None) -> Iterator[TurningAnswer]:
    """The answers that nobody gave, and with which the advice would be another one."""
    for option, says, changed in _missing_answers(situation):
        best = _ranked(changed)[0]
        turned = None if best.verdict == "does-not-fit" else best.strategy
        if turned != recommended:
            yield TurningAnswer(option, says, turned)


def _missing_answers(situation: Situation) -> Iterator[tuple[str, str, Situation]]:
    if situation.horizon is None:
        says = "if nothing from before the cut is needed"
        yield "--horizon none", says, replace(situation, horizon=NONE)
    window = window_of(situation)
    if situation.downtime is None and window is not None:
        time = dt.timedelta(seconds=window)
        says = f"if the legacy may stand still for {span(window)} or more"
        yield "--downtime", says, replace(situation, downtime=time)
    if situation.archive is None:
        says = "if an archive has the events of the past"
        yield "--archive yes", says, replace(situation, archive=True)
