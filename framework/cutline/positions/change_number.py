"""Change numbers: Oracle's SCN, a trail's position, any single number that grows."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Self

from cutline.positions.position import Position


@dataclass(frozen=True, order=True)
class ChangeNumberPosition(Position):
    """The number of the commit, that of the change (Oracle's `commit_scn` and `scn`), and a tie."""

    number: int
    change: int = 0
    ordinal: int = 0
    example = "a decimal number of at most 20 digits"

    @classmethod
    def parse(cls, text: str) -> Self:
        """From decimal digits: the first place of that number."""
        if not re.fullmatch(r"0*[0-9]{1,20}", text.strip()):
            raise cls.refused(text)
        return cls(int(text))
