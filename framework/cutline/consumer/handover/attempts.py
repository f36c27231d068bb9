"""How the added handler is given records: in batches, tried again where it fails, at a pace."""

from __future__ import annotations

import logging
import shlex
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass

from cutline.consumer.database_errors import is_away, is_busy
from cutline.consumer.errors import ConsumerError, Stopping
from cutline.consumer.handover.catching_up import CatchUp, CaughtUp
from cutline.consumer.received import Received
from cutline.consumer.retries import Retries

_LOG = logging.getLogger("cutline.consumer")


class RecordFailed(ConsumerError):
    """The added handler cannot do the record at an offset."""

    def __init__(self, record: Received, catch_up_group: str, reason: str) -> None:
        self.offset = record.offset
        super().__init__(
            f"topic {record.topic}, partition {record.partition}, offset {record.offset}: the "
            f"added handler cannot do the record: {reason}",
            left_behind="All before it is handled, and the partition stands before it. The service "
            "goes on without the added handler there.",
            next_step="Mend the handler and run the catch-up again; or set the record aside: "
            f"cutline unblock {shlex.quote(catch_up_group)} --topic {record.topic}",
        )


@dataclass(frozen=True)
class AttemptLimits:
    """How often a record is tried, and how many are handled in a second at most, null for as many
    as there are."""

    retries: Retries
    per_second: float | None


@dataclass(frozen=True)
class Attempts:
    """A catch-up that is given records, until it is stopped."""

    catch_up: CatchUp
    limits: AttemptLimits
    stopped: threading.Event

    def handle(self, partition: int, records: Sequence[Received]) -> CaughtUp:
        """Handle records of a partition in one transaction; where that fails, each in its own.

        Waits as long as the pace asks for, and on SQLite as long as it took: there is one writer at
        a time, and whoever waits is not served in turn. RecordFailed for a record that cannot be
        done, Stopping where it is stopped between two attempts, and what the database raises where
        that is away or busy.
        """
        begun = time.monotonic()
        try:
            caught_up = self.catch_up.handle(partition, records)
        except ConsumerError:
            raise
        except Exception as error:
            if is_away(error):
                raise
            for record in records:
                caught_up = self._tried(record)
                if caught_up.ended or caught_up.stopped_at is not None:
                    break
        took = time.monotonic() - begun
        pauses = took if self.catch_up.handover.database.dialect == "sqlite" else 0.0
        if self.limits.per_second is not None:
            handled = sum(record.offset < caught_up.next for record in records)
            pauses = max(pauses, handled / self.limits.per_second - took)
        self.stopped.wait(pauses)
        return caught_up

    def _tried(self, record: Received) -> CaughtUp:
        retries, reason = self.limits.retries, ""
        for attempt in range(1, retries.attempts + 1):
            try:
                return self.catch_up.handle(record.partition, [record])
            except ConsumerError:
                raise
            except Exception as error:
                if is_away(error) or (attempt == retries.attempts and is_busy(error)):
                    raise
                reason = f"{type(error).__name__}: {error}"
                place = {"topic": record.topic, "partition": record.partition}
                fields = {**place, "offset": record.offset, "attempt": attempt}
                _LOG.warning("event failed", extra=fields)
            if attempt < retries.attempts and self.stopped.wait(retries.pause(attempt)):
                raise Stopping
        self.catch_up.fail(record.partition, record.offset)
        raise RecordFailed(record, self.catch_up.handover.terms.catch_up_group, reason)
