"""The suite as pytest tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path

from cutline.conformance.fingerprints import FINGERPRINT, held_against
from cutline.conformance.properties import ALL, STABLE
from cutline.conformance.properties.stable import moved
from cutline.conformance.results import Finding, Judged
from cutline.conformance.suite import HISTORIES, SEED, judge
from cutline.testing.case import Given
from cutline.testing.worlds.frames import read_by
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

    A translator is judged once, when the first of its properties is asked; a failure names the
    property, and shows the shortest history that breaks it. `fingerprints` is a file beside the
    tests that holds what each version meant: a meaning that changes under an unchanged version
    fails. `seen` are changes that were really seen, as `given(…)`: in them too, stable columns must
    not move.
    """
    import pytest

    by_name = {translator.__name__: translator for translator in translation.translators}

    @cache
    def judged(name: str) -> tuple[list[Finding], Judged]:
        return judge(by_name[name], histories, seed)

    names = [one.name for one in ALL] + ([FINGERPRINT] if fingerprints else [])

    @pytest.mark.parametrize("asked", names)
    @pytest.mark.parametrize("translator", list(by_name))
    def test(translator: str, asked: str) -> None:
        __tracebackhide__ = True
        if asked == FINGERPRINT and fingerprints is not None:
            findings = [held_against(by_name[translator], fingerprints)]
        else:
            findings, how = judged(translator)
            print(how.line())  # noqa: T201 - shown by pytest beside a failure
        if asked == STABLE.name:
            findings = [*findings, *_moving(by_name[translator], seen)]
        wrong = [f for f in findings if not f.ok and f.property == asked]
        if wrong:
            raise AssertionError("\n".join(line for f in wrong for line in f.lines()))
        if not any(f.property == asked for f in findings):
            pytest.skip("the translator cannot be judged: see its property `ends`")

    return test


def _moving(translator: type[Translator], seen: Sequence[Given]) -> Iterator[Finding]:
    """The stable columns of the translator's tables that move in what was seen."""
    read = read_by(translator)
    for given in seen:
        for one in moved(step for step in given.steps if step.contract in read):
            name = translator.__name__
            yield Finding(STABLE.name, name, False, one.what, next_step=one.next_step)
