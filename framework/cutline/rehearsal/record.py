"""A record that is rehearsed, and where a rehearsal puts it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cutline.topics import names

REHEARSAL_HEADER = "ce_migrehearsal"
"""The header by which every record of a rehearsal says which one it is of."""


@dataclass(frozen=True)
class RehearsedRecord:
    """A record as it is sent; `millis` is its time since 1970. `value` is JSON text, null for a
    tombstone."""

    topic: str
    key: str
    headers: Mapping[str, str]
    value: str | None
    millis: int

    @property
    def event_id(self) -> str:
        """The id of its event."""
        return self.headers["ce_id"]

    @property
    def size(self) -> int:
        """Bytes of key, headers and value."""
        headers = sum(len(name) + len(text.encode()) for name, text in self.headers.items())
        return len(self.key.encode()) + len((self.value or "").encode()) + headers


@dataclass(frozen=True)
class Namespace:
    """The names of a rehearsal's topics: none of them is one that anybody reads."""

    prefix: str
    number: str

    @property
    def name(self) -> str:
        """What the names of all its topics begin with, but for the dot behind it."""
        return names.rehearsal(self.prefix, self.number)

    def history(self, context: str, aggregate: str) -> str:
        """The topic of an aggregate's events."""
        return names.rehearsal(self.prefix, self.number, context, aggregate, "synthetic")

    def states(self, context: str, aggregate: str) -> str:
        """The compacted topic of an aggregate's states."""
        return names.rehearsal(self.prefix, self.number, context, aggregate, "state")

    def replayed(self) -> str:
        """The topic of the records of a replay."""
        return names.rehearsal(self.prefix, self.number, "replay")
