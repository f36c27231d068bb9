"""Ranges of a table by its subjects, each with what was written there."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from cutline.readmodels.lines import escaped, subject_of, unescaped

RANGE_ROWS = 10_000
"""How many rows a range has; the last one may have fewer."""

_FINGERPRINT_BYTES = 16


@dataclass(frozen=True)
class RangeHead:
    """Where a range begins, and what it holds as a whole.

    `first` is the subject of its first row. The first range also takes what comes before it.
    """

    number: int
    first: bytes
    rows: int
    digest: str


@dataclass(frozen=True)
class KeyRange:
    """A range with the fingerprint of each row, in the order of the subjects' bytes.

    `subjects` are all of them, packed; `fingerprints` the first 16 bytes of each line's SHA-256.
    """

    head: RangeHead
    subjects: bytes
    fingerprints: bytes

    def rows(self) -> Iterator[tuple[bytes, bytes]]:
        """Each row's subject and fingerprint, in order."""
        if not self.head.rows:
            return
        subjects = zlib.decompress(self.subjects).split(b"\n")
        for place, subject in enumerate(subjects):
            begin = place * _FINGERPRINT_BYTES
            fingerprint = self.fingerprints[begin : begin + _FINGERPRINT_BYTES]
            yield unescaped(subject) or b"", fingerprint


def fingerprint(line: bytes) -> bytes:
    """The fingerprint of a row."""
    return hashlib.sha256(line).digest()[:_FINGERPRINT_BYTES]


def add_line(digest: hashlib._Hash, line: bytes) -> None:
    """Take a line into the digest of a range or a table."""
    digest.update(line)
    digest.update(b"\n")


def range_of(number: int, lines: Sequence[bytes]) -> KeyRange:
    """The range of these lines."""
    digest = hashlib.sha256()
    for line in lines:
        add_line(digest, line)
    subjects = [subject_of(line) for line in lines]
    first = subjects[0] if subjects else b""
    return KeyRange(
        RangeHead(number, first, len(lines), digest.hexdigest()),
        zlib.compress(b"\n".join(map(escaped, subjects)), 1),
        b"".join(map(fingerprint, lines)),
    )


def in_ranges(lines: Iterable[bytes]) -> Iterator[list[bytes]]:
    """The lines in pieces of a range each; an empty piece where there is no line at all."""
    iterator = iter(lines)
    piece = list(islice(iterator, RANGE_ROWS))
    yield piece
    while piece := list(islice(iterator, RANGE_ROWS)):
        yield piece
