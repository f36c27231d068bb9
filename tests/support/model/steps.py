"""What a history is made of: steps that a database takes, one after the other.

A step that is impossible where it stands (a write to a row that another transaction holds, the end
of a transaction that has ended) does nothing. So each list of steps is a history, and one that
shows a fault can be shortened by leaving steps out.
"""

from __future__ import annotations

from dataclasses import dataclass

Key = tuple[str, ...]
"""A row's key: one value of the table `items`, two of the table `lines`."""


@dataclass(frozen=True)
class Load:
    """A row that was there before the log begins; only before the first transaction."""

    key: Key
    status: int = 0
    qty: int = 0
    note: str = ""


@dataclass(frozen=True)
class Upsert:
    """A transaction creates a row or updates it. Null values are left as they are.

    `status` only moves up. Where the row is new, what is null is 0, and a note is empty.
    """

    tx: int
    key: Key
    status: int | None = None
    qty: int | None = None
    note: str | None = None


@dataclass(frozen=True)
class Rename:
    """A transaction gives a row another key."""

    tx: int
    key: Key
    to: Key


@dataclass(frozen=True)
class Drop:
    """A transaction deletes a row."""

    tx: int
    key: Key


@dataclass(frozen=True)
class Commit:
    """The commit is written to the log. The transaction still holds its rows until it is shown."""

    tx: int


@dataclass(frozen=True)
class Show:
    """A committed transaction becomes visible to others."""

    tx: int


@dataclass(frozen=True)
class Rollback:
    """The transaction never was."""

    tx: int


LOW, SNAPSHOT, HIGH = "low", "snapshot", "high"


@dataclass(frozen=True)
class Mark:
    """The extract does something: reads the log's position before (`low`), takes its snapshot, or
    reads the position after (`high`). Of two of a name the first counts."""

    name: str


Step = Load | Upsert | Rename | Drop | Commit | Show | Rollback | Mark
Steps = tuple[Step, ...]
