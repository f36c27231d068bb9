"""Sets of MySQL's global transaction ids: which transactions a snapshot shows.

Ids are ordered within the server that gave them only, so they tell what is visible, not what came
first. Source of the format: MySQL's manual, "GTID Sets".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from cutline.errors import ConfigurationError

_UUID = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_MEMBER = re.compile(rf"({_UUID})((?::[0-9]+(?:-[0-9]+)?)+)")


@dataclass(frozen=True)
class GtidSet:
    """By server (lower case), the intervals of its transactions' numbers, both ends included."""

    intervals: Mapping[str, tuple[tuple[int, int], ...]]

    @classmethod
    def parse(cls, text: str) -> Self:
        """From `gtid_executed`, as `3e11fa47-…:1-5:7`; ConfigurationError for anything else."""
        intervals: dict[str, list[tuple[int, int]]] = {}
        for member in re.sub(r"\s", "", text).split(","):
            written = _MEMBER.fullmatch(member)
            if written is None:
                raise _refused(text)
            for interval_text in written[2][1:].split(":"):
                low, _, high = interval_text.partition("-")
                interval = (int(low), int(high or low))
                if not 0 < interval[0] <= interval[1]:
                    raise _refused(text)
                intervals.setdefault(written[1].lower(), []).append(interval)
        return cls({server: tuple(sorted(several)) for server, several in intervals.items()})

    def __contains__(self, gtid: str) -> bool:
        """Whether a transaction, `server:number`, is in the set."""
        server, _, number = gtid.rpartition(":")
        intervals = self.intervals.get(server.lower(), ())
        return any(low <= int(number) <= high for low, high in intervals)


def _refused(text: str) -> ConfigurationError:
    return ConfigurationError(
        f"{text[:80]!r} is not a set of global transaction ids",
        next_step="Copy it as `SELECT @@GLOBAL.gtid_executed` shows it.",
    )
