"""Cases: the steps of a source, and the events and ends expected of them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from cutline.testing.comparison import refuse_unknown
from cutline.testing.expected import Expected, ExpectedEvent
from cutline.testing.failure_text import failure_text
from cutline.testing.row import Row
from cutline.testing.step import Step, Together, snapshot
from cutline.testing.worlds.results import AnnouncedEvent, RowEnd
from cutline.testing.worlds.translate import LATE, translate_worlds
from cutline.translator import Translator


@dataclass(frozen=True)
class Case:
    """The steps of a source, and the events and ends that are expected of them."""

    steps: tuple[Step, ...]
    expected: tuple[Expected, ...]


@dataclass(frozen=True)
class Given:
    """The steps of a source. Snapshot rows come first; changes are committed in their order."""

    steps: tuple[Step, ...]

    def means(self, *expected: Expected) -> Case:
        """A case of a specification, translated together with the others; see `specification`."""
        return Case(self.steps, expected)

    def translated_by(self, translator: type[Translator], cut: dt.datetime = LATE) -> CaseResult:
        """The translation of the steps, in a Spark job of its own."""
        (ends,) = translate_worlds(translator, [self.steps], cut)
        return CaseResult(translator, self.steps, tuple(ends))


@dataclass(frozen=True)
class CaseResult:
    """The translation of a case's steps: the end of each row, with the events it announced."""

    translator: type[Translator]
    steps: tuple[Step, ...]
    ends: tuple[RowEnd, ...]

    @property
    def events(self) -> list[AnnouncedEvent]:
        """The announced events, in the order of the steps and of the translator's facts."""
        return [told for end in self.ends for told in end.events]

    def expect(self, *expected: Expected) -> None:
        """AssertionError, with the differences, unless the result is as expected.

        Every event must be expected, in the order of the steps and of the translator's facts; the
        fields that are named are compared. If ends of rows are expected, there must be one for
        every row of the translator's parts; otherwise no row may be quarantined or ambiguous.
        """
        __tracebackhide__ = True
        for expectation in expected:
            if isinstance(expectation, ExpectedEvent):
                refuse_unknown(self.translator.context, expectation)
        message = failure_text(self.translator.context, self.steps, expected, self.ends)
        if message:
            raise AssertionError(f"{self.translator.__name__} says otherwise\n{message}")


def given(*steps: Step | Together | Row | Sequence[Row]) -> Given:
    """The steps of a source, in their order; a row alone is a row of the snapshot."""
    placed_steps: list[Step] = []
    for step in steps:
        placed_steps += _steps(step, len(placed_steps) + 1)
    return Given(tuple(placed_steps))


def _steps(step: Step | Together | Row | Sequence[Row], place: int) -> Iterable[Step]:
    if isinstance(step, Step):
        return [step]
    if isinstance(step, Together):
        changes = enumerate(step.changes, start=place)
        return [replace(change, place=at, begun=place) for at, change in changes]
    return [snapshot(row) for row in ([step] if isinstance(step, Row) else step)]
