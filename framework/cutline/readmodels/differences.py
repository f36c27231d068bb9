"""What stands in a table, beside what was written into it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from sqlalchemy import Connection

from cutline.readmodels.access import Access
from cutline.readmodels.lines import has_event, subject_of
from cutline.readmodels.model import ReadModelColumn
from cutline.readmodels.ranges import RangeHead, add_line, fingerprint
from cutline.readmodels.records import key_range, range_heads

Change = Literal["added", "changed", "removed"]


@dataclass(frozen=True)
class RowDifference:
    """A row that is not as it was written.

    `by_event` says that it names a live event which wrote it.
    """

    subject: bytes
    change: Change
    by_event: bool


@dataclass(frozen=True)
class ReadTable:
    """A table that is read in a transaction."""

    connection: Connection
    access: Access
    name: str
    columns: Sequence[ReadModelColumn]

    def differences(self) -> Iterator[Iterator[RowDifference]]:
        """For each range that is not as it was written its rows that differ, by subject."""
        heads = range_heads(self.connection, self.name)
        ends = [*(head.first for head in heads[1:]), None]
        for place in list(self._differing_places(heads)):
            yield self._row_differences(heads[place], ends[place], first_of_all=place == 0)

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

    def _row_differences(
        self, head: RangeHead, end: bytes | None, *, first_of_all: bool
    ) -> Iterator[RowDifference]:
        """The rows of a range that differ: what was written and what stands there, side by side."""
        written = key_range(self.connection, self.name, head).rows()
        first = None if first_of_all else head.first
        expected = next(written, None)
        for line in self.access.lines(self.connection, self.name, self.columns, first, end):
            subject = subject_of(line)
            while expected is not None and expected[0] < subject:
                yield RowDifference(expected[0], "removed", by_event=False)
                expected = next(written, None)
            if expected is None or subject < expected[0]:
                yield RowDifference(subject, "added", has_event(line))
                continue
            if fingerprint(line) != expected[1]:
                yield RowDifference(subject, "changed", has_event(line))
            expected = next(written, None)
        while expected is not None:
            yield RowDifference(expected[0], "removed", by_event=False)
            expected = next(written, None)
