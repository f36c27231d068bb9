"""An advice about a slice: looked at, judged, and told with costs and what comes next."""

from __future__ import annotations

from collections.abc import Callable

from cutline.advice.costs import cost_of
from cutline.advice.judging import FitVerdict, opinion
from cutline.advice.looking import AdviceWork, look
from cutline.advice.result import Advice, StrategyAdvice
from cutline.advice.situation import Situation
from cutline.advice.strategies import WORDS, Strategy


def advise(work: AdviceWork) -> Advice:
    """What is recommended for a slice; nothing is changed. Raises what `look` says."""
    situation, figures = look(work)
    view = opinion(situation)
    place = f"{work.context} --region {work.region}"
    strategies = [
        StrategyAdvice(
            strategy=judgement.strategy,
            title=WORDS[judgement.strategy].title,
            verdict=judgement.verdict,
            reasons=judgement.reasons,
            cost=cost_of(judgement.strategy, situation),
            commands=commands_of(
                judgement.strategy, judgement.verdict, situation, place, work.command
            ),
        )
        for judgement in view.judgements
    ]
    return Advice(
        context=work.context,
        region=work.region,
        needs=work.answers.needs,
        recommended=view.recommended,
        confidence=view.confidence,
        strategies=tuple(strategies),
        looked_at=tuple(figures),
        turns=view.turns,
    )


def commands_of(
    strategy: Strategy,
    verdict: FitVerdict,
    situation: Situation,
    place: str,
    command: Callable[[str], str],
) -> tuple[str, ...]:
    """The commands (or the edit) that come next if a strategy is chosen, in their order; none for
    what people do without Cutline."""
    if strategy == "raw-replay":
        return _replaying(situation, command)
    if strategy == "script" and verdict != "does-not-fit":
        measure = () if situation.reading_seconds is not None else (command(f"run {place}"),)
        return (*measure, "cutline compare LEFT RIGHT --key COLUMN")
    if strategy == "read-model-rebuild" and verdict != "does-not-fit":
        declare = "edit `rebuilds` of cutline.yaml as docs/rebuild.md shows"
        return (declare, command(f"rebuild {place} --into NAME"))
    if strategy in ("state-backfill", "synthetic-events"):
        return _translating(situation, place, command)
    return ()


def _translating(
    situation: Situation, place: str, command: Callable[[str], str]
) -> tuple[str, ...]:
    run = command(f"run {place}")
    if situation.run is None:
        return command(f"coverage {place}"), run
    words = [
        (bool(situation.unmapped), command(f"coverage {place}")),
        (bool(situation.exceptional), command(f"exceptions list {place}")),
        (bool(situation.unmapped) or situation.decision != "go", run),
        (situation.decision == "go" and situation.sizes is None, command(f"rehearse {place}")),
        (situation.decision == "go", command(f"readiness {place}")),
    ]
    return tuple(text for is_next, text in words if is_next)


def _replaying(situation: Situation, command: Callable[[str], str]) -> tuple[str, ...]:
    best = situation.best_retained
    if best is None and not situation.archive:
        return ()
    name = "NAME" if best is None or best.replay is None else best.replay
    declare = () if name != "NAME" else ("edit `replays` of cutline.yaml as docs/replay.md shows",)
    words = f"replay {name} --to TOPIC"
    return (*declare, command(f"{words} --dry-run"), command(words))
