"""The suite: every property of every translator of a translation, on generated histories."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

from cutline.conformance.generate import generate_histories
from cutline.conformance.history import History
from cutline.conformance.properties import ALL_PROPERTIES, ENDS, RULES, Property, Violation
from cutline.conformance.results import Conformance, PropertyResult, TrialSummary
from cutline.conformance.shrink import Counterexample, shrink_counterexamples
from cutline.conformance.trial import Trial, run_trial
from cutline.errors import ConfigurationError
from cutline.tables.disposition import EXCEPTIONAL
from cutline.translator import Translation, Translator

HISTORIES, SEED = 150, 1
_MAX_RULES = 3
"""Rules of one property that are shown with an example each."""

SPARK_ERRORS = (Py4JJavaError, PySparkException)
"""What Spark raises when a rule cannot be computed for a row."""


def check_translation(
    translation: Translation, histories: int = HISTORIES, seed: int = SEED
) -> Conformance:
    """The results of every translator of a translation, on so many generated histories each.

    The same seed gives the same histories.
    """
    checked = [check_translator(each, histories, seed) for each in translation.translators]
    return Conformance(
        translation=translation.name,
        version=translation.version,
        results=tuple(result for results, _ in checked for result in results),
        trials=tuple(summary for _, summary in checked),
    )


def check_translator(
    translator: type[Translator], histories: int = HISTORIES, seed: int = SEED
) -> tuple[list[PropertyResult], TrialSummary]:
    """The results of one translator's properties, and the size of its trial.

    A property that holds has one result; one that fails has a result for each of at most three
    rules. Where the engine refuses the rules, or Spark fails, the other properties have none.
    """
    name = translator.__name__
    static = list(
        _property_results(
            Trial(translator, (), ()), [prop for prop in ALL_PROPERTIES if prop.is_static]
        )
    )
    if not all(result.ok for result in static if result.property == RULES.name):
        return static, TrialSummary(name, 0, 0, 0.0)
    generated: list[History] = []
    try:
        generated = generate_histories(translator, histories, seed)
        begin = time.perf_counter()
        trial = run_trial(translator, generated, with_shuffled=True)
    except ConfigurationError as error:
        failure = PropertyResult(ENDS.name, name, False, error.what, next_step=error.next_step)
        return [*static, failure], TrialSummary(name, 0, 0, 0.0)
    except SPARK_ERRORS as error:
        failure = _spark_failure(translator, generated, error)
        return [*static, failure], TrialSummary(name, len(generated), 0, 0.0)
    seconds = time.perf_counter() - begin
    dynamic = _property_results(trial, [prop for prop in ALL_PROPERTIES if not prop.is_static])
    return [*static, *dynamic], _trial_summary(trial, seconds)


def _property_results(trial: Trial, properties: Sequence[Property]) -> Iterator[PropertyResult]:
    """One result for each property that holds; for one that fails, a result for each rule."""
    name = trial.translator.__name__
    broken = {prop.name: _shortest_by_rule(trial, prop.violations(trial)) for prop in properties}
    counterexamples = [
        Counterexample(prop, violation.rule, trial.histories[violation.history])
        for prop in properties
        for violation in broken[prop.name]
        if violation.history is not None
    ]
    examples = iter(shrink_counterexamples(trial.translator, counterexamples))
    for prop in properties:
        if not broken[prop.name]:
            yield PropertyResult(prop.name, name)
        for violation in broken[prop.name]:
            if violation.history is None:
                yield PropertyResult(
                    prop.name, name, False, violation.problem, "", violation.next_step
                )
            else:
                yield _shrunk_result(prop, trial, violation, next(examples))


def _shortest_by_rule(trial: Trial, violations: Iterable[Violation]) -> list[Violation]:
    """For at most three rules the violation with the shortest history."""
    shortest: dict[str, Violation] = {}
    for violation in violations:
        if _length(trial, violation) < _length(trial, shortest.get(violation.rule)):
            shortest[violation.rule] = violation
    return list(shortest.values())[:_MAX_RULES]


def _length(trial: Trial, violation: Violation | None) -> float:
    """The number of changes that show a violation: 0 without a history, infinite for null."""
    if violation is None:
        return float("inf")
    return 0 if violation.history is None else len(trial.histories[violation.history].changes)


def _shrunk_result(
    prop: Property, trial: Trial, violation: Violation, example: History
) -> PropertyResult:
    """The violation in the words that its shrunk example gives."""
    shrunk_trial = run_trial(trial.translator, [example], with_shuffled=prop.needs_shuffled)
    of_rule = (v for v in prop.violations(shrunk_trial) if v.rule == violation.rule)
    shrunk = next(of_rule, violation)
    name = trial.translator.__name__
    return PropertyResult(prop.name, name, False, shrunk.problem, str(example), shrunk.next_step)


def _spark_failure(
    translator: type[Translator], histories: Sequence[History], error: Exception
) -> PropertyResult:
    """The result that Spark fails on a row, with a short history that has such a row."""
    example = _failing_history(translator, histories)
    message = (str(error).strip().splitlines() or [type(error).__name__])[0][:300]
    return PropertyResult(
        ENDS.name,
        translator.__name__,
        False,
        f"a rule cannot be computed of every row that the contract allows: {message}",
        "" if example is None else str(example),
        "Use try_cast, try_divide and the like, or reject such rows.",
    )


def _failing_history(translator: type[Translator], histories: Sequence[History]) -> History | None:
    """A short history on which Spark fails, found by bisection.

    Null where neither half of some set fails without the other.
    """
    histories = sorted(histories, key=lambda history: len(history.changes))
    while len(histories) > 1:
        half = len(histories) // 2
        histories = next(
            (h for h in (histories[:half], histories[half:]) if _fails(translator, h)), ()
        )
    return histories[0] if histories else None


def _fails(translator: type[Translator], histories: Sequence[History]) -> bool:
    try:
        run_trial(translator, histories)
    except SPARK_ERRORS:
        return True
    return False


def _trial_summary(trial: Trial, seconds: float) -> TrialSummary:
    translator = trial.translator
    ends = [end for capture in trial.captures if capture.moment == 0 for end in capture.ends]
    row_rules = {rule.name for rule in translator.row_rules}
    announced = {event.ordinal for c in trial.captures for end in c.ends for event in end.events}
    excluded = (e.rule for e in ends if e.disposition in EXCEPTIONAL or e.rule in row_rules)
    return TrialSummary(
        translator.__name__,
        len(trial.histories),
        len(trial.captures),
        seconds,
        dict(Counter(excluded)),
        tuple(r.name for i, r in enumerate(translator.facts, start=1) if i not in announced),
    )
