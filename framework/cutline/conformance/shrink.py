"""The shortest histories that still show what is wrong."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass

from cutline.conformance.history import Detail, History
from cutline.conformance.properties import Property
from cutline.conformance.trial import tried
from cutline.translator import Translator

_ROUNDS = 8

Shrinking = Generator[list[History], list[bool], History]
"""Asks of histories whether they still show it, is told, and ends with the shortest that does."""


@dataclass(frozen=True)
class Shown:
    """A property is broken by a rule, as a history shows."""

    property: Property
    rule: str
    history: History


def shrunk(translator: type[Translator], shown: Sequence[Shown]) -> list[History]:
    """For each the shortest history that shows the same; all of them shrink in the same Spark jobs.

    Each round judges every history with one detail less, and then as many of those details together
    as there can be.
    """
    asking = {i: shrinking(one.history) for i, one in enumerate(shown)}
    found: dict[int, History] = {}
    answers: dict[int, list[bool]] = {}
    while len(found) < len(shown):
        asked: dict[int, list[History]] = {}
        for i, one in asking.items():
            if i not in found:
                try:
                    asked[i] = one.send(answers[i]) if i in answers else next(one)
                except StopIteration as end:
                    found[i] = end.value
        if asked:
            answers = _answers(translator, [(i, shown[i], asked[i]) for i in asked])
    return [found[i] for i in range(len(shown))]


def shrinking(history: History) -> Shrinking:
    """Shrinks one history; see Shrinking."""
    for _ in range(_ROUNDS):
        single = yield from _showing(history, [[detail] for detail in history.details()])
        if not single:
            return history
        spare = [details[0] for details in single]
        together = yield from _showing(history, [spare[: n + 1] for n in range(len(spare))])
        simpler = history.without(together[-1] if together else spare[:1])
        assert simpler is not None
        history = simpler
    return history


def _showing(
    history: History, candidates: Sequence[list[Detail]]
) -> Generator[list[History], list[bool], list[list[Detail]]]:
    """The sets of details without which the history still shows it."""
    made = [(details, history.without(details)) for details in candidates]
    sound = [(details, simpler) for details, simpler in made if simpler is not None]
    shown = (yield [simpler for _, simpler in sound]) if sound else []
    return [details for (details, _), still in zip(sound, shown, strict=True) if still]


def _answers(
    translator: type[Translator], asked: Sequence[tuple[int, Shown, list[History]]]
) -> dict[int, list[bool]]:
    """For each asked history whether it shows what is asked of it; all are judged together."""
    histories = [history for _, _, candidates in asked for history in candidates]
    properties = {one.property.name: one.property for _, one, _ in asked}
    trial = tried(translator, histories, twice=any(one.twice for one in properties.values()))
    broken = {
        (name, violation.rule, violation.history)
        for name, one in properties.items()
        for violation in one.broken_by(trial)
    }
    answers: dict[int, list[bool]] = {}
    number = 0
    for i, one, candidates in asked:
        numbers = range(number, number + len(candidates))
        answers[i] = [(one.property.name, one.rule, n) in broken for n in numbers]
        number += len(candidates)
    return answers
