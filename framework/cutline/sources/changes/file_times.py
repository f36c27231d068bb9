"""The order of change files by when their rows were committed, or read by a snapshot."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

Span = tuple[int, int]
"""The first and the last of some times, in microseconds since 1970."""


@dataclass(frozen=True)
class FileTimes:
    """The times of one file of changes, by its number among them.

    `commits` has the commit times of changes by their table, under null those of ends of
    transactions and of tables that are not read. `reads` has, by table that is read, when its rows
    of snapshots were read; null where no row says it.
    """

    number: int
    commits: Mapping[str | None, Span]
    reads: Mapping[str, Span | None]

    @property
    def times(self) -> Span | None:
        """The first and the last time of all its rows; null without one."""
        return _around([*self.commits.values(), *self.reads.values()])

    def commits_of(self, tables: frozenset[str]) -> Span | None:
        """The first and the last commit time of changes of these tables; null without one."""
        return _around(span for table, span in self.commits.items() if table in tables)


@dataclass(frozen=True)
class Reading:
    """Files of snapshot rows alone that were written by one reading of their tables, in order.

    `began` is the first time at which a row was read; null where no row says it.
    """

    numbers: tuple[int, ...]
    tables: frozenset[str]
    began: int | None


@dataclass(frozen=True)
class FileOrder:
    """The numbers of files in order.

    `undecided` are the numbers of a file of snapshot rows and of one with changes of its tables
    whose order no time tells; null where there are none.
    """

    numbers: tuple[int, ...]
    undecided: tuple[int, int] | None


def order_of(files: Sequence[FileTimes]) -> FileOrder:
    """The files with changes by their first times, and by their numbers where these are equal.

    Files of snapshot rows alone stand before the first file with a change of their tables that was
    committed after their reading began. It is undecided where changes from before stand behind
    them then, and where no row says when it was read. Files without any row come last.
    """
    changing = [file for file in _by_first_time(files) if file.commits]
    places: list[tuple[tuple[int, int, int], tuple[int, ...]]]
    places = [((at, 1, 0), (file.number,)) for at, file in enumerate(changing)]
    undecided: list[tuple[int, int]] = []
    for turn, reading in enumerate(_readings(files, changing)):
        at = _place_of(reading, changing)
        places.append(((at, 0, turn), reading.numbers))
        for file in changing[at:]:
            commits = file.commits_of(reading.tables)
            if commits is not None and (reading.began is None or commits[0] < reading.began):
                undecided.append((reading.numbers[0], file.number))
    ordered = [number for _, numbers in sorted(places) for number in numbers]
    empty = [file.number for file in files if file.number not in ordered]
    return FileOrder((*ordered, *empty), min(undecided, default=None))


def _readings(files: Sequence[FileTimes], changing: Sequence[FileTimes]) -> list[Reading]:
    """The files of snapshot rows alone, by reading, in the order of their first times.

    Two files are of two readings if the whole of a file with changes was committed between them.
    Else the rows of the second may show what was when the first began, however late it is.
    """
    readings: list[Reading] = []
    ended: int | None = None
    for file in _by_first_time(files):
        if file.commits or not file.reads:
            continue
        tables, times = frozenset(file.reads), file.times
        if times is None or ended is None or _is_between(ended, times[0], changing):
            readings.append(Reading((file.number,), tables, times and times[0]))
        else:
            earlier = readings.pop()
            numbers = (*earlier.numbers, file.number)
            readings.append(Reading(numbers, earlier.tables | tables, earlier.began))
        ended = max(ended or 0, times[1]) if times else None
    return readings


def _is_between(ended: int, began: int, changing: Sequence[FileTimes]) -> bool:
    """Whether all changes of some file were committed after one time and before another."""
    commits = (_around(file.commits.values()) for file in changing)
    return any(span is not None and ended < span[0] and span[1] < began for span in commits)


def _place_of(reading: Reading, changing: Sequence[FileTimes]) -> int:
    """The number of files with changes before a reading; changes of its tables count if there are
    any.
    """
    spans = [file.commits_of(reading.tables) for file in changing]
    if not any(spans):
        spans = [_around(file.commits.values()) for file in changing]
    behind = (
        at
        for at, span in enumerate(spans)
        if span is not None and (reading.began is None or span[1] >= reading.began)
    )
    return next(behind, len(changing))


def _by_first_time(files: Sequence[FileTimes]) -> list[FileTimes]:
    return sorted(files, key=lambda file: ((file.times or (0, 0))[0], file.number))


def _around(spans: Iterable[Span | None]) -> Span | None:
    """From the first of the spans' first times to the last of their last; null without spans."""
    whole = [span for span in spans if span is not None]
    if not whole:
        return None
    return min(first for first, _ in whole), max(last for _, last in whole)
