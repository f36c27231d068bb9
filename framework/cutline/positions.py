"""Positions: fixed-width text that sorts as a source commits.

A position is three zero-padded numbers joined by ".": the commit's place in the log and the row's
(20 digits each, enough for any 64-bit number), and an ordinal that breaks ties (10 digits). So
comparing texts compares numbers, in every language and store.
"""

from __future__ import annotations

import re

from cutline.errors import ConfigurationError
from cutline.project.source import DebeziumChanges

LSN_DIGITS = 20
ORDINAL_DIGITS = 10
NOWHERE = f"{0:0{LSN_DIGITS}d}.{0:0{LSN_DIGITS}d}.{0:0{ORDINAL_DIGITS}d}"
"""The position of every snapshot row of a source that has no changes."""

_TOP = 2**64
_SLASHED = re.compile(r"^([0-9A-Fa-f]{1,8})/([0-9A-Fa-f]{1,8})$")


def lsn(text: str) -> int:
    """A PostgreSQL log sequence number, written as `0/16B3748` or in decimal digits.

    Raises ConfigurationError for anything else, and for more than 64 bits.
    """
    text = text.strip()
    slashed = _SLASHED.match(text)
    if slashed:
        return (int(slashed[1], 16) << 32) + int(slashed[2], 16)
    if re.fullmatch(r"[0-9]{1,20}", text) and int(text) < _TOP:
        return int(text)
    raise ConfigurationError(
        f"{text!r} is not a log position",
        next_step="Write it as PostgreSQL does (0/16B3748) or as a decimal number.",
    )


def position(commit: int, row: int = 0, ordinal: int = 0) -> str:
    """The position of a row in the log; with the commit alone, the first one of that commit."""
    for number, top in ((commit, _TOP), (row, _TOP), (ordinal, 10**ORDINAL_DIGITS)):
        if not 0 <= number < top:
            raise ValueError(f"{number} does not fit into a position")
    return f"{commit:0{LSN_DIGITS}d}.{row:0{LSN_DIGITS}d}.{ordinal:0{ORDINAL_DIGITS}d}"


def postgres(consistent_point: str) -> str:
    """The position of a snapshot that was exported at a log sequence number.

    A change whose position is less was committed before and is visible in the snapshot; one that
    was committed exactly there is not.
    """
    return position(lsn(consistent_point))


def consistent_point(changes: DebeziumChanges | None) -> str | None:
    """The position of a source's snapshot, as `postgres`; null for a source without changes."""
    return None if changes is None else postgres(changes.consistent_point)
