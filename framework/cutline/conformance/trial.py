"""A trial: histories of one translator, translated from every capture of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from cutline.conformance.history import History
from cutline.testing.worlds import RowEnd, translate_worlds
from cutline.translator import Translator

Ends = list[RowEnd]
"""The ends of a capture's rows, in the order of its steps."""


@dataclass(frozen=True)
class Capture:
    """One capture of a history, as change data capture delivers it, and the ends of its rows.

    A capture at `moment` begins with a snapshot after so many changes of the history, and goes on
    with the changes after it; at moment 0 it has no snapshot and every change. `history` is the
    number of the history in its trial.
    """

    history: int
    moment: int
    ends: Ends


@dataclass(frozen=True)
class Trial:
    """Histories, and the translator's results for all their captures.

    `captures` are sorted by history and moment. `shuffled_captures` are some of them once more,
    with rows in another order and in other partitions.
    """

    translator: type[Translator]
    histories: Sequence[History]
    captures: tuple[Capture, ...]
    shuffled_captures: tuple[Capture, ...] = ()

    def by_history(self) -> Iterator[tuple[Ends, list[Capture]]]:
        """For each history the ends of all its changes, and its captures with a snapshot."""
        for _, captures in groupby(self.captures, key=lambda capture: capture.history):
            all_changes, *from_snapshots = captures
            yield all_changes.ends, from_snapshots


def run_trial(
    translator: type[Translator], histories: Sequence[History], *, with_shuffled: bool = False
) -> Trial:
    """Translate all captures of these histories, in one Spark job.

    `with_shuffled` translates captures at the moments 0 and 1 once more, in a second job.
    """
    moments = [(i, k) for i, h in enumerate(histories) for k in (0, *h.moments())]
    shuffled = [(i, k) for i, k in moments if k < 2] if with_shuffled else []
    return Trial(
        translator,
        histories,
        _captures(translator, histories, moments),
        _captures(translator, histories, shuffled, shuffle_seed=1),
    )


def _captures(
    translator: type[Translator],
    histories: Sequence[History],
    moments: Sequence[tuple[int, int]],
    shuffle_seed: int | None = None,
) -> tuple[Capture, ...]:
    """The captures at pairs of a history's number and a moment."""
    worlds = [histories[i].steps_captured_at(k) for i, k in moments]
    ends = (
        translate_worlds(translator, worlds, logged=True, shuffled=shuffle_seed) if worlds else []
    )
    return tuple(Capture(i, k, e) for (i, k), e in zip(moments, ends, strict=True))
