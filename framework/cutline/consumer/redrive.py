"""What a person does about events that were put aside: again, not at all, or after all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row, select

from cutline.consumer.binding import envelope_of
from cutline.consumer.database_errors import is_away, is_busy
from cutline.consumer.errors import ConsumerError, MalformedEvent
from cutline.consumer.handling import Handled, Handling
from cutline.consumer.letters import DEAD, DISCARDED, SubjectLine
from cutline.consumer.received import Received
from cutline.consumer.store import storable
from cutline.consumer.tables import HOLDS


@dataclass(frozen=True)
class Released:
    """How many events were handled, and why the next one of the line failed; null if none did."""

    handled: int
    reason: str | None = None


@dataclass(frozen=True)
class Redrive:
    """Retries, discards and releases. Each event has a transaction of its own, so whoever is killed
    in between leaves a line that `go_on` goes on with."""

    handling: Handling

    def retry(self, number: int) -> Released:
        """Handles a dead letter, and then what waits behind it, in order.

        Where one fails, that is the dead letter, and what is behind it goes on waiting.
        """
        handling = self.handling
        with handling.store.transaction() as connection:
            row = handling.letters.dead(connection, number)
        reason = self._done(row)
        if reason is not None:
            return Released(0, reason)
        rest = self._line(SubjectLine(row.stream, row.subject))
        return Released(1 + rest.handled, rest.reason)

    def discard(self, number: int, reason: str) -> Released:
        """Gives a dead letter up, for a reason that stays with it, and releases what waits."""
        handling = self.handling
        if not reason.strip():
            raise ConsumerError(
                f"dead letter {number} is not discarded without a reason",
                left_behind="Nothing was changed.",
                next_step="Say why nothing is lost by it.",
            )
        with handling.store.transaction() as connection:
            row = handling.letters.dead(connection, number)
            handling.letters.change(connection, number, status=DISCARDED, reason=reason)
        return self._line(SubjectLine(row.stream, row.subject))

    def go_on(self, is_stopped: Callable[[], bool] = lambda: False) -> int:
        """Releases lines where nothing is dead, as a killed retry leaves them; events handled.

        `is_stopped` is asked before each event, and ends it early.
        """
        store = self.handling.store
        with store.transaction() as connection:
            holds = connection.execute(select(HOLDS).where(store.owner.rows(HOLDS))).all()
        lines = [SubjectLine(row.stream, row.subject) for row in holds]
        return sum(self._line(line, is_stopped).handled for line in lines)

    def release(self, number: int) -> Handled:
        """Handles a parked event whatever its epoch, or puts it behind the dead letter of its line.

        Where the handler raises, the event stays parked.
        """
        handling = self.handling
        with handling.store.transaction() as connection:
            record = handling.parking.leave(connection, number)
            event = envelope_of(record)
            if handling.letters.queue(connection, handling.line(record, event), record):
                return Handled.WAITING
            handling.work(connection, record, event)
        return Handled.HANDLED

    def _line(self, line: SubjectLine, is_stopped: Callable[[], bool] = lambda: False) -> Released:
        """Handles the letters of a line until it is empty, or until one is dead."""
        handled = 0
        while not is_stopped():
            with self.handling.store.transaction() as connection:
                row = self.handling.letters.first(connection, line)
            if row is None or row.status == DEAD:
                return Released(handled)
            reason = self._done(row)
            if reason is not None:
                return Released(handled, reason)
            handled += 1
        return Released(handled)

    def _done(self, row: Row[Any]) -> str | None:
        """Handles a letter and removes it: null; or, where it fails, has it be dead: the reason."""
        handling, record = self.handling, Received.restored(row._asdict())
        line = SubjectLine(row.stream, row.subject)
        try:
            with handling.store.transaction() as connection:
                if not handling.letters.remove(connection, row.number):
                    return None
                handling.work(connection, record, envelope_of(record))
                handling.letters.first(connection, line)
                return None
        except MalformedEvent as error:
            reason = f"{error.attribute} {error.reason}"
        except ConsumerError:
            raise
        except Exception as error:
            if is_away(error) or is_busy(error):
                raise
            reason = f"{type(error).__name__}: {error}"
        with handling.store.transaction() as connection:
            handling.letters.change(
                connection,
                row.number,
                status=DEAD,
                reason=storable(reason),
                attempts=row.attempts + 1,
            )
        return reason
