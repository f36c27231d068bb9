"""PostgreSQL's snapshots: which transactions a session of the database sees.

Source of the rule: PostgreSQL's manual, "Transaction ID and Snapshot Information Functions".
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Self

from cutline.errors import ConfigurationError

EPOCH = 2**32
"""How many 32-bit transaction ids there are before they begin again."""


@dataclass(frozen=True)
class PgSnapshot:
    """`xmin`: all before it had ended. `xmax`: nothing from it on had begun to be visible. `xip`:
    those between that were still in progress. All of 64 bits (xid8)."""

    xmin: int
    xmax: int
    xip: frozenset[int] = frozenset()

    @classmethod
    def parse(cls, text: str) -> Self:
        """From `pg_current_snapshot()`: `700:720:705,711`. ConfigurationError for anything else.

        A snapshot that a slot exports may have an xmin above its xmax, because only commits move
        the latter on: then all before xmin had ended, and nothing from it on is visible.
        """
        written = re.fullmatch(r"\s*([0-9]+):([0-9]+):((?:[0-9]+(?:,[0-9]+)*)?)\s*", text)
        if written is not None:
            xmin, xmax = int(written[1]), int(written[2])
            xip = frozenset(int(x) for x in written[3].split(",") if x)
            if max(xmin, xmax) < 2**63 and all(xmin <= x < xmax for x in xip):
                return cls(xmin, max(xmin, xmax), xip)
        raise ConfigurationError(
            f"{text[:80]!r} is not a snapshot of PostgreSQL's",
            next_step="Copy it as `SELECT pg_current_snapshot()` shows it: xmin:xmax:xip,xip,…",
        )

    def widened(self, xid: int) -> int:
        """A 32-bit id as one of 64 bits: the nearest to `xmax`. A wider one stays as it is."""
        if xid >= EPOCH:
            return xid
        near = self.xmax - self.xmax % EPOCH + xid
        candidates = [c for c in (near - EPOCH, near, near + EPOCH) if c >= 0]
        return min(candidates, key=lambda c: (abs(c - self.xmax), c))

    def sees(self, xid: int) -> bool:
        """Whether the snapshot shows a transaction, if it committed at all."""
        wide = self.widened(xid)
        return wide < self.xmin or (wide < self.xmax and wide not in self.xip)
