"""What stands in a table, beside what was written into it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from sqlalchemy import Connection

from cutline.readmodels.access import Access
from cutline.readmodels.fed_rows import FedRow, FedTable
from cutline.readmodels.lines import split_line, subject_of
from cutline.readmodels.model import ReadModelColumn
from cutline.readmodels.ranges import RangeHead, add_line, fingerprint
from cutline.readmodels.records import key_range, range_heads

Change = Literal["added", "changed", "removed"]
FED_AT_ONCE = 10_000
"""The most rows of a feed that are compared at once."""

Bounds = tuple[bytes | None, bytes | None]
"""The subject from which on, and before which; None is no bound."""


@dataclass(frozen=True)
class RowDifference:
    """A row that is not as it was written.

    `by_event` says that it names a live event which wrote it, and that no feed says otherwise.
    """

    subject: bytes
    change: Change
    by_event: bool


@dataclass(frozen=True)
class _Written:
    """A row as it was written: the fingerprint of its line as built, and as the feed left it."""

    built: bytes | None
    fed: FedRow | None = None

    def is_line(self, line: bytes) -> bool:
        if self.fed is not None:
            return self.fed.is_line(line, self.built)
        return fingerprint(line) == self.built


@dataclass(frozen=True)
class ReadTable:
    """A table that is read in a transaction; `fed` is what a feed wrote into it, None where that is
    not known."""

    connection: Connection
    access: Access
    name: str
    columns: Sequence[ReadModelColumn]
    fed: FedTable | None = None

    def differences(self) -> Iterator[Iterator[RowDifference]]:
        """For each range that is not as it was written its rows that differ, by subject."""
        heads = range_heads(self.connection, self.name)
        ends = [*(head.first for head in heads[1:]), None]
        differing = set(self._differing_places(heads))
        for place, head in enumerate(heads):
            bounds = head.first if place else None, ends[place]
            # What the feed added and somebody removed leaves the range as it was built.
            if place in differing or self._fed_rows(bounds, 1):
                yield self._row_differences(head, bounds)

    def _differing_places(self, heads: Sequence[RangeHead]) -> Iterator[int]:
        """The places of the ranges whose rows are not those that were written."""
        place, rows, digest = 0, 0, hashlib.sha256()
        for line in self.access.lines(self.connection, self.name, self.columns):
            subject = subject_of(line)
            while place + 1 < len(heads) and subject >= heads[place + 1].first:
                if (rows, digest.hexdigest()) != (heads[place].rows, heads[place].digest):
                    yield place
                place, rows, digest = place + 1, 0, hashlib.sha256()
            add_line(digest, line)
            rows += 1
        for later in range(place, len(heads)):
            if (rows, digest.hexdigest()) != (heads[later].rows, heads[later].digest):
                yield later
            rows, digest = 0, hashlib.sha256()

    def _row_differences(self, head: RangeHead, bounds: Bounds) -> Iterator[RowDifference]:
        """The rows of a range that differ: what was written and what stands there, side by side."""
        built = dict(key_range(self.connection, self.name, head).rows())
        for part, fed in self._parts(bounds):
            written = {s: _Written(line) for s, line in built.items() if _is_within(s, part)}
            for row in fed:
                line = built.get(row.subject)
                # An event that ended a row of nobody's made no row of ours of it.
                if line is not None or row.fingerprint is not None:
                    written[row.subject] = _Written(line, row)
            lines = self.access.lines(self.connection, self.name, self.columns, *part)
            yield from self._beside(sorted(written.items()), lines)

    def _parts(self, bounds: Bounds) -> Iterator[tuple[Bounds, list[FedRow]]]:
        """A range in parts of which none has too many rows of the feed, with these."""
        first, end = bounds
        while len(fed := self._fed_rows((first, end), FED_AT_ONCE + 1)) > FED_AT_ONCE:
            later = fed.pop().subject
            yield (first, later), fed
            first = later
        yield (first, end), fed

    def _fed_rows(self, bounds: Bounds, limit: int) -> list[FedRow]:
        return [] if self.fed is None else self.fed.rows(*bounds, limit)

    def _beside(
        self, written: Iterable[tuple[bytes, _Written]], lines: Iterable[bytes]
    ) -> Iterator[RowDifference]:
        rows = iter(written)
        row = next(rows, None)
        for line in lines:
            subject = subject_of(line)
            while row is not None and row[0] < subject:
                yield RowDifference(row[0], "removed", by_event=False)
                row = next(rows, None)
            if row is None or subject < row[0]:
                yield RowDifference(subject, "added", self._names_event(line))
                continue
            if not row[1].is_line(line):
                yield RowDifference(subject, "changed", self._names_event(line))
            row = next(rows, None)
        while row is not None:
            yield RowDifference(row[0], "removed", by_event=False)
            row = next(rows, None)

    def _names_event(self, line: bytes) -> bool:
        return self.fed is None and split_line(line)[1] is not None


def _is_within(subject: bytes, bounds: Bounds) -> bool:
    first, end = bounds
    return (first is None or subject >= first) and (end is None or subject < end)
