"""What is done with one record, in one transaction: position, inbox, guard, hold, handler."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy import Connection

from cutline.consumer.binding import envelope_of
from cutline.consumer.effects import Effects, GateSettings, count
from cutline.consumer.envelope import Envelope
from cutline.consumer.epochs import MISSING, EpochGuard, SliceEpoch, SliceInPartition
from cutline.consumer.errors import MalformedEvent
from cutline.consumer.inbox import enter
from cutline.consumer.letters import Letters, SubjectLine
from cutline.consumer.parking import Parking
from cutline.consumer.policy import ConsumerPolicy
from cutline.consumer.positions import advance
from cutline.consumer.received import Received
from cutline.consumer.store import Store, storable
from cutline.consumer.transactions import refused_endings
from cutline.consumer.versions import refuse_other_mode

OF_EVENTS = "event"
"""The name under which records are counted that were not simply handled."""
_SUBJECT_HEADER = "ce_subject"


class Handled(StrEnum):
    """What became of a record: its handler did it; its position was passed before; its id was here
    before; its epoch parked it; it waits behind a dead letter; it is a dead letter."""

    HANDLED = "handled"
    PASSED = "passed"
    DUPLICATE = "duplicate"
    PARKED = "parked"
    WAITING = "waiting"
    DEAD = "dead"


@dataclass(frozen=True)
class Work:
    """What a handler works with: the transaction's connection, and the one way to effects."""

    connection: Connection
    effects: Effects


Handler = Callable[[Envelope, Work], None]


@dataclass(frozen=True)
class HandlerFailure:
    """Why the handler could not do an event, and how often it was tried."""

    reason: str
    attempts: int


@dataclass(frozen=True)
class Handling:
    """What is done with one record of a service."""

    store: Store
    policy: ConsumerPolicy
    gate: GateSettings
    guard: EpochGuard
    letters: Letters
    parking: Parking
    handler: Handler

    def attempt(self, record: Received, failure: HandlerFailure | None = None) -> Handled:
        """Does a record in one transaction, and moves the position; whatever is raised undoes both.

        With a `failure` the handler is not called, and the record becomes a dead letter.
        """
        with self.store.transaction() as connection:
            if not advance(connection, self.store.owner, record):
                return Handled.PASSED
            result = self._result(connection, record, failure)
            if result is not Handled.HANDLED:
                count(connection, self.store, record, OF_EVENTS, result.value)
            return result

    def work(self, connection: Connection, record: Received, event: Envelope) -> None:
        """Calls the handler with an event of a record.

        ConsumerError where the handler ends the transaction, or where the version has another mode
        by now.
        """
        state = self.policy.is_state(record.topic)
        effects = Effects(connection, self.store, self.gate, record, event, state=state)
        with refused_endings(connection, record):
            self.handler(event, Work(connection, effects))
        # PostgreSQL makes a rollback, without a word, of the commit behind a statement that failed;
        # a further statement says so, whatever it asks for.
        refuse_other_mode(connection, self.store.owner, self.policy.mode)

    def line(self, record: Received, event: Envelope | None) -> SubjectLine:
        """The line of a record: that of its subject, or of its key where no subject can be read."""
        subject = _subject_header(record) if event is None else event.subject
        name = subject or record.key_text
        return SubjectLine(self.policy.stream(record.topic), name and storable(name))

    def _result(
        self, connection: Connection, record: Received, failure: HandlerFailure | None
    ) -> Handled:
        owner = self.store.owner
        try:
            event = envelope_of(record)
        except MalformedEvent as error:
            line = self.line(record, None)
            if self.letters.queue(connection, line, record):
                return Handled.WAITING
            reason = f"{error.attribute} {error.reason}"
            self.letters.put_dead(connection, line, record, reason, attempts=1)
            return Handled.DEAD
        is_state = self.policy.is_state(record.topic)
        if not is_state and not enter(connection, owner, event, self.store.now()):
            return Handled.DUPLICATE
        if self._parked(connection, record, event):
            return Handled.PARKED
        line = self.line(record, event)
        if self.letters.queue(connection, line, record):
            return Handled.WAITING
        if failure is not None:
            self.letters.put_dead(connection, line, record, failure.reason, failure.attempts)
            return Handled.DEAD
        self.work(connection, record, event)
        return Handled.HANDLED

    def _parked(self, connection: Connection, record: Received, event: Envelope) -> bool:
        """Whether the guard of epochs stops an event. One without an epoch is not judged, unless
        the policy says that it needs one."""
        context, region = event.migcontext, event.migregion
        if event.migepoch is None or context is None or region is None:
            if not self.policy.needs_epoch(record):
                return False
            verdict = SliceEpoch(context or "", region or "", 0, MISSING)
        else:
            place = SliceInPartition(context, region, record.topic, record.partition)
            verdict = self.guard.judge(connection, event, place, record.offset)
        if verdict.reason is not None:
            self.parking.park(connection, record, event, verdict)
        return verdict.reason is not None


def _subject_header(record: Received) -> str | None:
    """The subject of a record that is no event, as far as its headers name one."""
    values = [value for name, value in record.headers if name == _SUBJECT_HEADER and value]
    return values[0].decode(errors="replace") if len(values) == 1 else None
