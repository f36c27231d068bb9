"""MongoDB: by the operation's cluster time, which is a counter and not a clock."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Self

from cutline.positions.position import Position


@dataclass(frozen=True, order=True)
class MongoPosition(Position):
    """The two halves of a cluster time, of which the first looks like seconds, and the operation's
    number in its transaction."""

    time: int
    increment: int
    ordinal: int = 0
    commit_parts = 2
    example = "time:increment, such as 1661327688:3"

    @classmethod
    def parse(cls, text: str) -> Self:
        """From `1661327688:3`."""
        written = re.fullmatch(r"\s*([0-9]{1,19}):([0-9]{1,19})\s*", text)
        if written is None:
            raise cls.refused(text)
        return cls(int(written[1]), int(written[2]))
