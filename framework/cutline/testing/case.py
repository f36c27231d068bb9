"""Cases: steps that are given, and what they mean."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from cutline.testing.comparison import refuse_unknown
from cutline.testing.expected import Expected, ExpectedEvent
from cutline.testing.failure_text import difference
from cutline.testing.row import Row
from cutline.testing.step import Step, Together, snapshot
from cutline.testing.worlds.results import End, Told
from cutline.testing.worlds.translate import LATE, judged
from cutline.translator import Translator


@dataclass(frozen=True)
class Case:
    """Steps, and the events and ends that are expected of them."""

    steps: tuple[Step, ...]
    expected: tuple[Expected, ...]


@dataclass(frozen=True)
class Given:
    """What the source says. Snapshot rows come first; changes are committed as they are listed."""

    steps: tuple[Step, ...]

    def means(self, *expected: Expected) -> Case:
        """A case of a specification, judged together with its other cases; see `specification`."""
        return Case(self.steps, expected)

    def translated_by(self, translator: type[Translator], cut: dt.datetime = LATE) -> Outcome:
        """What the translator says, now, in a Spark job of its own."""
        (ends,) = judged(translator, [self.steps], cut)
        return Outcome(translator, self.steps, tuple(ends))


@dataclass(frozen=True)
class Outcome:
    """What a translator said of given steps."""

    translator: type[Translator]
    steps: tuple[Step, ...]
    ends: tuple[End, ...]

    @property
    def events(self) -> list[Told]:
        """The events that were announced, in the order of the steps and of the facts."""
        return [told for end in self.ends for told in end.events]

    def expect(self, *expected: Expected) -> None:
        """AssertionError, with what differs, unless exactly this was said.

        Each event must be expected, in the order of the steps and of the translator's facts; of
        each, what is named is compared. Where ends of rows are expected, there must be one for
        every row that the translator's parts read; where none is, no row may be put aside.
        """
        __tracebackhide__ = True
        for one in expected:
            if isinstance(one, ExpectedEvent):
                refuse_unknown(self.translator.context, one)
        found = difference(self.translator.context, self.steps, expected, self.ends)
        if found:
            raise AssertionError(f"{self.translator.__name__} says otherwise\n{found}")


def given(*steps: Step | Together | Row | Sequence[Row]) -> Given:
    """What the source says, in its order; a row alone stands in the snapshot."""
    placed: list[Step] = []
    for step in steps:
        placed += _steps(step, len(placed) + 1)
    return Given(tuple(placed))


def _steps(step: Step | Together | Row | Sequence[Row], place: int) -> Iterable[Step]:
    if isinstance(step, Step):
        return [step]
    if isinstance(step, Together):
        changes = enumerate(step.changes, start=place)
        return [replace(change, place=at, begun=place) for at, change in changes]
    return [snapshot(row) for row in ([step] if isinstance(step, Row) else step)]
