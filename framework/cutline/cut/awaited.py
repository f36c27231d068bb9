"""A cut line that the run itself will capture, as a project declares it before any run."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import Column

from cutline.cut.obligation import Obligation
from cutline.cut.policy import CutPolicy, CutWords
from cutline.errors import RunFailed


@dataclass(frozen=True)
class AwaitedCut(CutPolicy):
    """Stands for a policy whose `part` is captured when the run takes the snapshot.

    It has words for people, and can place no change.
    """

    policy: str
    part: str
    key: str
    name = "awaited"

    def side(self) -> Column:
        raise RunFailed(
            f"{self.key}.{self.part} has not been captured: only a run does that",
            next_step="Run the slice: cutline run CONTEXT --region REGION",
        )

    def words(self) -> CutWords:
        return CutWords(
            f"what the snapshot shows that the run takes ({self.policy})",
            "begins with what that snapshot does not show",
            "there is none: a transaction is seen or it is not",
        )

    def obligations(self) -> tuple[Obligation, ...]:
        return ()
