"""The suite: every property of every translator of a translation, on generated histories."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

from cutline.conformance.generate import histories_of
from cutline.conformance.history import History
from cutline.conformance.properties import ALL, ENDS, RULES, Property, Violation
from cutline.conformance.results import Conformance, Finding, Judged
from cutline.conformance.shrink import Shown, shrunk
from cutline.conformance.trial import Trial, tried
from cutline.errors import ConfigurationError
from cutline.tables.disposition import EXCEPTIONAL
from cutline.translator import Translation, Translator

HISTORIES, SEED = 150, 1
_MOST_RULES = 3

FAILED = (Py4JJavaError, PySparkException)
"""What Spark raises when a rule cannot be computed of a row."""


def conformance_of(
    translation: Translation, histories: int = HISTORIES, seed: int = SEED
) -> Conformance:
    """What the suite finds of a translation, on so many generated histories per translator.

    The same seed gives the same histories.
    """
    found = [judge(translator, histories, seed) for translator in translation.translators]
    return Conformance(
        translation=translation.name,
        version=translation.version,
        findings=tuple(finding for findings, _ in found for finding in findings),
        judged=tuple(judged for _, judged in found),
    )


def judge(
    translator: type[Translator], histories: int = HISTORIES, seed: int = SEED
) -> tuple[list[Finding], Judged]:
    """The findings of one translator, one for each property that holds, and how it was tried."""
    name = translator.__name__
    declared = list(_findings(Trial(translator, (), ()), [one for one in ALL if one.declared]))
    if not all(finding.ok for finding in declared if finding.property == RULES.name):
        return declared, Judged(name, 0, 0, 0.0)
    made: list[History] = []
    try:
        made = histories_of(translator, histories, seed)
        begin = time.perf_counter()
        trial = tried(translator, made, twice=True)
    except ConfigurationError as error:
        wrong = Finding(ENDS.name, name, False, error.what, next_step=error.next_step)
        return [*declared, wrong], Judged(name, 0, 0, 0.0)
    except FAILED as error:
        return [*declared, _failing(translator, made, error)], Judged(name, len(made), 0, 0.0)
    seconds = time.perf_counter() - begin
    shown = _findings(trial, [one for one in ALL if not one.declared])
    return [*declared, *shown], _judged(trial, seconds)


def _findings(trial: Trial, asked: Sequence[Property]) -> Iterator[Finding]:
    """One finding for each property that holds; for another, one for each rule that breaks it."""
    name = trial.translator.__name__
    broken = {one.name: _by_rule(trial, one.broken_by(trial)) for one in asked}
    shown = [
        Shown(one, violation.rule, trial.histories[violation.history])
        for one in asked
        for violation in broken[one.name]
        if violation.history is not None
    ]
    examples = iter(shrunk(trial.translator, shown))
    for one in asked:
        if not broken[one.name]:
            yield Finding(one.name, name)
        for violation in broken[one.name]:
            if violation.history is None:
                yield Finding(one.name, name, False, violation.what, "", violation.next_step)
            else:
                yield _of_example(one, trial, violation, next(examples))


def _by_rule(trial: Trial, violations: Iterable[Violation]) -> list[Violation]:
    """For a few rules the violation that is seen in the shortest history."""
    found: dict[str, Violation] = {}
    for one in violations:
        if _length(trial, one) < _length(trial, found.get(one.rule)):
            found[one.rule] = one
    return list(found.values())[:_MOST_RULES]


def _length(trial: Trial, violation: Violation | None) -> float:
    if violation is None:
        return float("inf")
    return 0 if violation.history is None else len(trial.histories[violation.history].moves)


def _of_example(one: Property, trial: Trial, violation: Violation, example: History) -> Finding:
    again = tried(trial.translator, [example], twice=one.twice)
    told = next((v for v in one.broken_by(again) if v.rule == violation.rule), violation)
    name = trial.translator.__name__
    return Finding(one.name, name, False, told.what, str(example), told.next_step)


def _failing(
    translator: type[Translator], histories: Sequence[History], error: Exception
) -> Finding:
    """The finding that Spark gives up on a row, with a short history of which it does."""
    culprit = _culprit(translator, histories)
    told = (str(error).strip().splitlines() or [type(error).__name__])[0][:300]
    return Finding(
        ENDS.name,
        translator.__name__,
        False,
        f"a rule cannot be computed of every row that the contract allows: {told}",
        "" if culprit is None else str(culprit),
        "Use try_cast, try_divide and the like, or reject such rows.",
    )


def _culprit(translator: type[Translator], histories: Sequence[History]) -> History | None:
    """A short history that fails alone, found by halving; null where only all together fail."""
    histories = sorted(histories, key=lambda history: len(history.moves))
    while len(histories) > 1:
        half = len(histories) // 2
        histories = next(
            (h for h in (histories[:half], histories[half:]) if _fails(translator, h)), ()
        )
    return histories[0] if histories else None


def _fails(translator: type[Translator], histories: Sequence[History]) -> bool:
    try:
        tried(translator, histories)
    except FAILED:
        return True
    return False


def _judged(trial: Trial, seconds: float) -> Judged:
    translator = trial.translator
    ends = [end for telling in trial.tellings if telling.moment == 0 for end in telling.ends]
    named = {rule.name for rule in translator.row_rules}
    seen = {told.ordinal for t in trial.tellings for end in t.ends for told in end.events}
    return Judged(
        translator.__name__,
        len(trial.histories),
        len(trial.tellings),
        seconds,
        dict(Counter(e.rule for e in ends if e.disposition in EXCEPTIONAL or e.rule in named)),
        tuple(r.name for i, r in enumerate(translator.facts, start=1) if i not in seen),
    )
