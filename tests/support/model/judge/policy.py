"""One policy for many histories: each is placed by its own, which is one of the real ones."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import Column
from pyspark.sql import functions as F

from cutline.cut import CutPolicy, CutWords, Obligation


@dataclass(frozen=True)
class OfGroups(CutPolicy):
    """The policy of the group of histories that a change belongs to.

    The number of the group stands in the microseconds of `extract_time`.
    """

    groups: tuple[CutPolicy, ...]
    name = "of-groups"

    @property
    def rereads(self) -> bool:  # type: ignore[override]
        return any(policy.rereads for policy in self.groups)

    def side(self) -> Column:
        group = F.unix_micros("extract_time") % 1_000
        side = F.lit(None).cast("string")
        for number, policy in enumerate(self.groups):
            side = F.when(group == number, policy.side()).otherwise(side)
        return side

    def words(self) -> CutWords:
        return CutWords("what each says", "what each says", "what each says")

    def obligations(self) -> tuple[Obligation, ...]:
        return ()
