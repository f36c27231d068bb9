"""Pieces of work, timed in turn: what counts are ratios within one run."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from used import cpu_seconds


@dataclass
class Timed:
    """One piece of work and its seconds, by repetition."""

    work: Callable[[], object]
    seconds: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    def run(self) -> None:
        began, used = time.perf_counter(), cpu_seconds(os.getpid())
        self.work()
        self.seconds.append(time.perf_counter() - began)
        self.cpu.append(cpu_seconds(os.getpid()) - used)


def in_turn(
    pieces: Iterable[Timed], repeat: int, between: Callable[[], object] = lambda: None
) -> None:
    """Run all of them in turn, `repeat` times and once before, which is not counted.

    Before each, `between` clears away what another left behind; that is not timed.
    """
    pieces = list(pieces)
    for repetition in range(repeat + 1):
        for piece in pieces:
            between()
            piece.run()
            if repetition == 0:
                piece.seconds.clear()
                piece.cpu.clear()


def cpu_ratio(seconds: Sequence[float], base: Sequence[float]) -> str:
    """How many times the least processor time of `base`; a dash where none of it was counted."""
    return f"{min(seconds) / min(base):.2f}" if min(base) else "–"
