"""What every way of drawing a cut line can do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from pyspark.sql import Column

from cutline.cut.obligation import Obligation


@dataclass(frozen=True)
class CutWords:
    """A cut line for people, each a clause without a full stop: "everything committed before …"."""

    history: str
    tail: str
    overlap: str


class CutPolicy(ABC):
    """A cut line in one source's log: what is history, what is the tail, where both may be.

    It looks at the columns of a changes table: `op`, `position`, `commit`, `transaction`,
    `source_time`, `partition` and `offset`.
    """

    name: ClassVar[str]
    """As cutline.yaml calls it."""
    holds_overlap: bool = False
    """Whether changes in the overlap zone are held for a person, rather than applied again."""

    rereads: bool = False
    """Whether rows may be read again while the log already runs, or before the log knows them."""

    @abstractmethod
    def side(self) -> Column:
        """BEFORE, OVERLAP or AFTER; null for a change that the policy cannot place."""

    def why_unplaced(self, source: str) -> str | None:
        """Why a change of the source may not be placed, and what would settle it, as a clause; null
        for a policy that places every change."""
        del source
        return None

    def points(self) -> tuple[str, ...]:
        """The commits, as text that sorts, that a log is asked about: see `with_commits`."""
        return ()

    def with_commits(self, committed: Mapping[str, str]) -> CutPolicy:
        """The policy, told by point which commit of before it is the latest that the log names."""
        del committed
        return self

    @abstractmethod
    def words(self) -> CutWords:
        """The line for people."""

    @abstractmethod
    def obligations(self) -> tuple[Obligation, ...]:
        """What the policy itself proves or assumes of O2, O3 and O4."""
