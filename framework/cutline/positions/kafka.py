"""Kafka: by partition and offset, for sources that tell no place in their own log."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Self

from cutline.positions.position import Position


@dataclass(frozen=True, order=True)
class KafkaPosition(Position):
    """A record's partition and offset (of a plain file: its number among the files, its line), and
    the row within the record.

    Only within a partition is that the order of commits; a key stays in its partition.
    """

    partition: int
    offset: int
    row: int = 0
    commit_parts = 2
    example = "partition:offset, such as 0:1200"

    @classmethod
    def parse(cls, text: str) -> Self:
        """From `0:1200`."""
        written = re.fullmatch(r"\s*([0-9]{1,10}):([0-9]{1,19})\s*", text)
        if written is None:
            raise cls.refused(text)
        return cls(int(written[1]), int(written[2]))
