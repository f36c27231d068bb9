"""The suite as pytest tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path

from cutline.conformance.fingerprints import FINGERPRINT, check_fingerprint
from cutline.conformance.properties import ALL_PROPERTIES, STABLE
from cutline.conformance.properties.stable import stable_column_changes
from cutline.conformance.results import Finding, TrialSummary
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
    def checked(name: str) -> tuple[list[Finding], TrialSummary]:
        return check_translator(by_name[name], histories, seed)

    names = [prop.name for prop in ALL_PROPERTIES] + ([FINGERPRINT] if fingerprints else [])

    @pytest.mark.parametrize("property_name", names)
    @pytest.mark.parametrize("translator", list(by_name))
    def test(translator: str, property_name: str) -> None:
        __tracebackhide__ = True
        if property_name == FINGERPRINT and fingerprints is not None:
            findings = [check_fingerprint(by_name[translator], fingerprints)]
        else:
            findings, summary = checked(translator)
            print(summary.line())  # noqa: T201 - shown by pytest beside a failure
        if property_name == STABLE.name:
            findings = [*findings, *_stable_findings(by_name[translator], seen)]
        failures = [f for f in findings if not f.ok and f.property == property_name]
        if failures:
            raise AssertionError("\n".join(line for f in failures for line in f.lines()))
        if not any(f.property == property_name for f in findings):
            pytest.skip("the translator cannot be judged: see its property `ends`")

    return test


def _stable_findings(
    translator: type[Translator], real_changes: Sequence[Given]
) -> Iterator[Finding]:
    """One finding per change of a stable column of the translator's tables in real changes."""
    contracts = contracts_read(translator)
    for example in real_changes:
        steps = (step for step in example.steps if step.contract in contracts)
        for violation in stable_column_changes(steps):
            yield Finding(
                STABLE.name,
                translator.__name__,
                False,
                violation.problem,
                next_step=violation.next_step,
            )
