"""When the reading of a tail ends: at a target that was known before anybody said stop.

Whole transactions are taken, and what has been taken is told by commits. A reader that stops inside
of a transaction, or that remembers a place there, loses the rest of it when it begins again.

Source of the order (target, then stop): Shopify's Ghostferry specification. Only tests use this so
far: readers of tails on Kafka will.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from cutline.positions import Position

Payload = TypeVar("Payload")


@dataclass(frozen=True)
class LogRecord(Generic[Payload]):
    """One record of a log: a row of a transaction, by the position of its commit.

    `ends` says that it is the last of its transaction. A heartbeat is a record without a payload
    that ends a transaction of its own.
    """

    commit: Position
    payload: Payload | None
    ends: bool


@dataclass(frozen=True)
class Transaction(Generic[Payload]):
    """A whole transaction. `commit` is where a reader may begin again: behind it."""

    commit: Position
    payloads: tuple[Payload, ...]


@dataclass
class StopRequest:
    """A request to stop. There is none without a target: what was committed until then is taken."""

    target: Position | None = field(default=None, init=False)
    requested: bool = field(default=False, init=False)

    def request(self, end_of_log: Callable[[], Position]) -> None:
        """Asks the source for the end of its log, and only then the reader to stop there."""
        self.target = end_of_log()
        self.requested = True

    def reached(self, commit: Position) -> bool:
        """Whether nothing up to the target is left behind that commit."""
        return self.requested and (self.target is None or commit.text >= self.target.text)

    def is_behind(self, commit: Position) -> bool:
        """Whether that commit lies behind the target, and is not to be taken."""
        return self.requested and self.target is not None and commit.text > self.target.text


def take_until(
    records: Iterable[LogRecord[Payload]], stop: StopRequest
) -> Iterator[Transaction[Payload]]:
    """The transactions of a log in its order, each whole, up to the target of `stop`.

    One that was committed behind the target is not taken, and of one whose end has not come nothing
    is. `stop` is looked at after each transaction, so it may be requested at any time.
    """
    rows: list[Payload] = []
    for record in records:
        if not rows and stop.is_behind(record.commit):
            return
        if record.payload is not None:
            rows.append(record.payload)
        if record.ends:
            if rows:
                yield Transaction(record.commit, tuple(rows))
            rows = []
            if stop.reached(record.commit):
                return
