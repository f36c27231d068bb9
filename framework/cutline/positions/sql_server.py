"""SQL Server: by commit LSN, change LSN, and the event's number within the change."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Self

from cutline.positions.position import Position

_LSN = re.compile(r"^(?:0x)?([0-9a-fA-F]{8}):?([0-9a-fA-F]{8}):?([0-9a-fA-F]{4})$")


@dataclass(frozen=True, order=True)
class SqlServerPosition(Position):
    """Two log sequence numbers of 80 bits, and the serial number that tells the two halves of an
    update apart."""

    commit_lsn: int
    change_lsn: int = 0
    serial: int = 0
    base = 16
    example = "SQL Server does (0000002c:00000a90:0003)"

    @classmethod
    def parse(cls, text: str) -> Self:
        """From `0000002c:00000a90:0003` or `0x` and 20 digits: the first place of that commit."""
        written = _LSN.match(text.strip())
        if written is None:
            raise cls.refused(text)
        return cls(int("".join(written.groups()), 16))
