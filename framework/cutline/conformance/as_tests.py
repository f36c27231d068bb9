"""The suite as pytest tests."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from cutline.conformance.properties import ALL
from cutline.conformance.results import Finding, Judged
from cutline.conformance.suite import HISTORIES, SEED, judge
from cutline.translator import Translation


def conformance(
    translation: Translation, histories: int = HISTORIES, seed: int = SEED
) -> Callable[..., None]:
    """One test for each property of each translator: `test_conforms = conformance(RETAIL_2)`.

    A translator is judged once, when the first of its properties is asked; a failure names the
    property, and shows the shortest history that breaks it.
    """
    import pytest

    by_name = {translator.__name__: translator for translator in translation.translators}

    @cache
    def judged(name: str) -> tuple[list[Finding], Judged]:
        return judge(by_name[name], histories, seed)

    @pytest.mark.parametrize("asked", [one.name for one in ALL])
    @pytest.mark.parametrize("translator", list(by_name))
    def test(translator: str, asked: str) -> None:
        __tracebackhide__ = True
        findings, how = judged(translator)
        print(how.line())  # noqa: T201 - shown by pytest beside a failure
        wrong = [f for f in findings if not f.ok and f.property == asked]
        if wrong:
            raise AssertionError("\n".join(line for f in wrong for line in f.lines()))
        if not any(f.property == asked for f in findings):
            pytest.skip("the translator cannot be judged: see its property `ends`")

    return test
