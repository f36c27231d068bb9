"""Rows that were written by nobody's event, in few words however many they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from cutline.readmodels.differences import Change, RowDifference
from cutline.readmodels.model import ForeignWrite

_NAMED = 20
"""The most rows of a range that are named one by one."""


class _Writes:
    """Rows of one range that changed in one way."""

    def __init__(self, table: str, change: Change) -> None:
        self.table = table
        self.change: Change = change
        self.rows = 0
        self.named: list[str] = []
        self.first = self.last = ""

    def add(self, subject: str) -> None:
        self.first = subject if self.rows == 0 else self.first
        self.last = subject
        self.rows += 1
        if len(self.named) < _NAMED:
            self.named.append(subject)

    def writes(self) -> Iterator[ForeignWrite]:
        if self.rows > _NAMED:
            yield self._write(self.rows, self.first, self.last)
            return
        for subject in self.named:
            yield self._write(1, subject, subject)

    def _write(self, rows: int, first: str, last: str) -> ForeignWrite:
        return ForeignWrite(table=self.table, change=self.change, rows=rows, first=first, last=last)


def foreign_writes(table: str, differences: Iterable[RowDifference]) -> Iterator[ForeignWrite]:
    """Of the differences of one range those that name no event: each row, or all at once."""
    changes: tuple[Change, ...] = ("changed", "added", "removed")
    writes = {change: _Writes(table, change) for change in changes}
    for difference in differences:
        if not difference.by_event:
            writes[difference.change].add(difference.subject.decode(errors="replace"))
    for change in changes:
        yield from writes[change].writes()
