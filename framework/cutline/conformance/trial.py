"""A trial: histories of one translator, each judged in every way it can be told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from cutline.conformance.history import History
from cutline.testing.worlds import End, judged
from cutline.translator import Translator

Ends = list[End]


@dataclass(frozen=True)
class Telling:
    """One way to tell a history: from a snapshot after `moment` moves; 0, all by its changes."""

    history: int
    moment: int
    ends: Ends


@dataclass(frozen=True)
class Trial:
    """Histories and what the translator said of each, told whole and from each moment on.

    `again` are some of the tellings, with their rows in another order and other partitions.
    """

    translator: type[Translator]
    histories: Sequence[History]
    tellings: tuple[Telling, ...]
    again: tuple[Telling, ...] = ()

    def by_history(self) -> Iterator[tuple[Ends, list[Telling]]]:
        """For each history its ends told whole, and its tellings from a snapshot."""
        for _, tellings in groupby(self.tellings, key=lambda telling: telling.history):
            whole, *seen = tellings
            yield whole.ends, seen


def tried(
    translator: type[Translator], histories: Sequence[History], *, twice: bool = False
) -> Trial:
    """A trial of these histories, in one Spark job.

    `twice` judges once more, shuffled, what they tell whole and from their first moment.
    """
    places = [(i, k) for i, h in enumerate(histories) for k in (0, *h.moments())]
    few = [(i, k) for i, k in places if k < 2] if twice else []
    told = _told(translator, histories, places, None)
    return Trial(translator, histories, told, _told(translator, histories, few, shuffled=1))


def _told(
    translator: type[Translator],
    histories: Sequence[History],
    places: Sequence[tuple[int, int]],
    shuffled: int | None,
) -> tuple[Telling, ...]:
    worlds = [histories[i].seen_from(k) for i, k in places]
    ends = judged(translator, worlds, logged=True, shuffled=shuffled) if worlds else []
    return tuple(Telling(i, k, e) for (i, k), e in zip(places, ends, strict=True))
