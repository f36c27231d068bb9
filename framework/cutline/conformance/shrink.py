"""Shrinking: a shorter history that breaks the same property by the same rule.

Histories shrink in rounds. A round tries every single simplification of a history, then growing
prefixes of those with which the property still fails. Each round of all counterexamples is one
Spark job, so shrinking many costs little more than shrinking one.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass

from cutline.conformance.history import History, Simplification
from cutline.conformance.properties import Property
from cutline.conformance.trial import run_trial
from cutline.translator import Translator

_MAX_ROUNDS = 8

Shrinking = Generator[list[History], list[bool], History]
"""Yields candidates, is sent whether each still fails, and returns the shortest that does."""


@dataclass(frozen=True)
class Counterexample:
    """A history in which a rule breaks a property."""

    property: Property
    rule: str
    history: History


def shrink_counterexamples(
    translator: type[Translator], counterexamples: Sequence[Counterexample]
) -> list[History]:
    """For each counterexample, in their order, the shortest history that was found to fail."""
    shrinkings = {i: shrink(example.history) for i, example in enumerate(counterexamples)}
    shortest: dict[int, History] = {}
    failing: dict[int, list[bool]] = {}
    while len(shortest) < len(counterexamples):
        candidates: dict[int, list[History]] = {}
        for i, shrinking in shrinkings.items():
            if i not in shortest:
                try:
                    candidates[i] = shrinking.send(failing[i]) if i in failing else next(shrinking)
                except StopIteration as end:
                    shortest[i] = end.value
        if candidates:
            failing = _failing(
                translator, [(i, counterexamples[i], candidates[i]) for i in candidates]
            )
    return [shortest[i] for i in range(len(counterexamples))]


def shrink(history: History) -> Shrinking:
    """Shrink one history in at most eight rounds; see `Shrinking`."""
    for _ in range(_MAX_ROUNDS):
        single = yield from _still_failing(history, [[s] for s in history.simplifications()])
        if not single:
            return history
        spare = [simplifications[0] for simplifications in single]
        prefixes = [spare[: n + 1] for n in range(len(spare))]
        failing_prefixes = yield from _still_failing(history, prefixes)
        simpler = history.simplified(failing_prefixes[-1] if failing_prefixes else spare[:1])
        assert simpler is not None
        history = simpler
    return history


def _still_failing(
    history: History, candidates: Sequence[list[Simplification]]
) -> Generator[list[History], list[bool], list[list[Simplification]]]:
    """The lists of simplifications with which the history still fails."""
    simplified = [(candidate, history.simplified(candidate)) for candidate in candidates]
    sound = [(candidate, simpler) for candidate, simpler in simplified if simpler is not None]
    failing = (yield [simpler for _, simpler in sound]) if sound else []
    return [candidate for (candidate, _), fails in zip(sound, failing, strict=True) if fails]


def _failing(
    translator: type[Translator],
    numbered_candidates: Sequence[tuple[int, Counterexample, list[History]]],
) -> dict[int, list[bool]]:
    """By number of the counterexample, whether each candidate breaks its property by its rule.

    All candidates are translated in one trial.
    """
    histories = [h for _, _, candidates in numbered_candidates for h in candidates]
    properties = {example.property.name: example.property for _, example, _ in numbered_candidates}
    trial = run_trial(
        translator,
        histories,
        with_shuffled=any(prop.needs_shuffled for prop in properties.values()),
    )
    broken = {
        (name, violation.rule, violation.history)
        for name, prop in properties.items()
        for violation in prop.violations(trial)
    }
    failing: dict[int, list[bool]] = {}
    first = 0
    for i, example, candidates in numbered_candidates:
        numbers = range(first, first + len(candidates))
        failing[i] = [(example.property.name, example.rule, n) in broken for n in numbers]
        first += len(candidates)
    return failing
