"""MySQL and MariaDB: by binary log file, place in it, and row of the event there."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Self

from cutline.positions.position import Position

_WRITTEN = re.compile(r"^(?:.*\.)?([0-9]{1,20}):([0-9]{1,20})$")


@dataclass(frozen=True, order=True)
class MySqlPosition(Position):
    """The number of the binary log file, the byte in it, and the row within the event there.

    The binary log holds each transaction whole, in commit order, so that file and byte tell a
    commit before from one after as well.
    """

    file: int
    byte: int
    row: int = 0
    commit_parts = 2
    example = "file:position, such as mysql-bin.000003:154"

    @classmethod
    def parse(cls, text: str) -> Self:
        """From `mysql-bin.000003:154`; the base name of the file does not matter."""
        written = _WRITTEN.match(text.strip())
        if written is None:
            raise cls.refused(text)
        return cls(int(written[1]), int(written[2]))
