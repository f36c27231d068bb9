"""Which side a reader of a slice asks, and whose answer counts, by the share that its key is of."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

LEGACY, NEW = "legacy", "new"
_SHARES = 100


def share_of(context: str, region: str, key: str) -> int:
    """The share of a slice's readers that a key is of, from 0 to 99.

    It is the first eight bytes, as a number with the highest byte first, of the SHA-256 of three
    lines in UTF-8 that a line feed joins, modulo 100: context, region and key. So a key of a share
    of 5 % is of each larger share, too.
    """
    digest = hashlib.sha256("\n".join((context, region, key)).encode()).digest()
    return int.from_bytes(digest[:8], "big") % _SHARES


@dataclass(frozen=True)
class SliceReads:
    """Who answers the readers of a slice, as its row says it: `reads` is `legacy`, `mirror`,
    `canary` or `new`, `percent` is of mirror and canary alone, and `release` is what readers of the
    new side see, null while there is none."""

    context: str
    region: str
    reads: str
    percent: int | None
    release: int | None

    def asks(self, key: str) -> tuple[str, ...]:
        """The sides that are asked about a key, first the one whose answer counts.

        What the second one answers shows nobody anything: it is there to be compared.
        """
        is_of_share = share_of(self.context, self.region, key) < (self.percent or 0)
        if self.reads == "new" or (self.reads == "canary" and is_of_share):
            return (NEW,)
        return (LEGACY, NEW) if self.reads == "mirror" and is_of_share else (LEGACY,)
