"""The suite as pytest tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path

from cutline.conformance.fingerprints import FINGERPRINT, check_fingerprint
from cutline.conformance.properties import ALL_PROPERTIES, STABLE
from cutline.conformance.properties.stable import stable_column_changes
from cutline.conformance.results import PropertyResult, TrialSummary
from cutline.conformance.suite import HISTORIES, SEED, check_translator
from cutline.testing.case import Given
from cutline.testing.worlds.frames import contracts_read
from cutline.translator import Translation, Translator


def conformance(
    translation: Translation,
    *,
    fingerprints: Path | None = None,
    seen: Sequence[Given] = (),
    histories: int = HISTORIES,
    seed: int = SEED,
) -> Callable[..., None]:
    """One test for each property of each translator: `test_conforms = conformance(RETAIL_2)`.

    A translator is checked once, by the first test of it that runs. A failed test names the
    property and shows a shrunk history that breaks it. `fingerprints` is a JSON file beside the
    tests with the fingerprint of each version; a fingerprint that differs under an unchanged
    version fails. `seen` are real changes, as `given(…)`: stable columns must not change in them.
    `histories` is the number of generated histories per translator.
    """
    import pytest

    by_name = {translator.__name__: translator for translator in translation.translators}

    @cache
    def checked(name: str) -> tuple[list[PropertyResult], TrialSummary]:
        return check_translator(by_name[name], histories, seed)

    names = [prop.name for prop in ALL_PROPERTIES] + ([FINGERPRINT] if fingerprints else [])

    @pytest.mark.parametrize("property_name", names)
    @pytest.mark.parametrize("translator", list(by_name))
    def test(translator: str, property_name: str) -> None:
        __tracebackhide__ = True
        if property_name == FINGERPRINT and fingerprints is not None:
            results = [check_fingerprint(by_name[translator], fingerprints)]
        else:
            results, summary = checked(translator)
            print(summary.line())  # noqa: T201 - shown by pytest beside a failure
        if property_name == STABLE.name:
            results = [*results, *_stable_results(by_name[translator], seen)]
        failures = [r for r in results if not r.ok and r.property == property_name]
        if failures:
            raise AssertionError("\n".join(line for r in failures for line in r.lines()))
        if not any(r.property == property_name for r in results):
            pytest.skip("the translator cannot be judged: see its property `ends`")

    return test


def _stable_results(
    translator: type[Translator], real_changes: Sequence[Given]
) -> Iterator[PropertyResult]:
    """One failed result per change of a stable column in real changes of the tables read."""
    contracts = contracts_read(translator)
    for example in real_changes:
        steps = (step for step in example.steps if step.contract in contracts)
        for violation in stable_column_changes(steps):
            yield PropertyResult(
                STABLE.name,
                translator.__name__,
                False,
                violation.problem,
                next_step=violation.next_step,
            )
