"""The geometry of a slice's trend: a bar per reconciled run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from cutline_reports.site.model import RunEntry

MOST = 20
"""A trend shows so many runs, the newest."""


@dataclass(frozen=True)
class TrendBar:
    """The open breaks of one run; positions in percent of the chart, from its left and its top."""

    left: float
    width: float
    top: float
    height: float
    open: int


def trend_bars(runs: Iterable[RunEntry]) -> tuple[TrendBar, ...]:
    """The bars of the newest reconciled runs, oldest first; `runs` are newest first.

    A run with breaks is always at least a sliver, a run without any has no height.
    """
    counts = [run.breaks.open for run in runs if run.breaks is not None][:MOST][::-1]
    most = max(counts, default=0)
    if not counts:
        return ()
    step = 100 / max(len(counts), 4)
    heights = [max(100 * count / most, 6) if count else 0 for count in counts]
    return tuple(
        TrendBar(
            left=round(place * step, 3),
            width=round(step * 0.8, 3),
            top=round(100 - height, 3),
            height=round(height, 3),
            open=count,
        )
        for place, (count, height) in enumerate(zip(counts, heights, strict=True))
    )


def trend_words(bars: tuple[TrendBar, ...]) -> str:
    """The trend in words, oldest run first."""
    return "Open breaks, run by run: " + ", ".join(f"{bar.open:,}" for bar in bars)
