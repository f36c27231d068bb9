"""PostgreSQL: by commit LSN, then the row's own place within the transaction."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Self

from cutline.positions.position import Position

_TOP = 2**64
_SLASHED = re.compile(r"^([0-9A-Fa-f]{1,8})/([0-9A-Fa-f]{1,8})$")


@dataclass(frozen=True, order=True)
class PostgresPosition(Position):
    """`commit_lsn`, the row's own LSN, which is ordered within its transaction only, and a number
    that breaks ties: the row's in its transaction, or its place in what was delivered.

    A source that does not tell commits has in `commit_lsn` that of the last commit before, as
    Debezium's `source.sequence` has: PostgreSQL sends transactions whole and in commit order, so
    that orders changes alike.
    """

    commit_lsn: int
    row_lsn: int = 0
    ordinal: int = 0
    example = "PostgreSQL does (0/16B3748) or as a decimal number"

    @classmethod
    def parse(cls, text: str) -> Self:
        """From `0/16B3748` or decimal digits, at most 64 bits: the first place of that commit."""
        text = text.strip()
        slashed = _SLASHED.match(text)
        if slashed:
            return cls((int(slashed[1], 16) << 32) + int(slashed[2], 16))
        if re.fullmatch(r"[0-9]{1,20}", text) and int(text) < _TOP:
            return cls(int(text))
        raise cls.refused(text)
