"""What both kinds of topics say of themselves, whatever stands on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

Ends = Mapping[str, Mapping[str, int]]
"""By topic and partition, the offset behind the last record."""


class TopicCatalog(Protocol):
    """The topics of a project that there are. Each method raises RunFailed where they cannot be
    reached."""

    def topics(self) -> list[str]:
        """The names of all of them, sorted."""
        ...

    def ends(self, topics: Sequence[str]) -> Ends:
        """Where topics end, also where the last record is not committed yet; one that is not there
        is left out."""
        ...

    def remove(self, topics: Sequence[str]) -> None:
        """Remove topics, which are gone then; one that is not there is no error."""
        ...
