"""A service that handles events: each once, in one transaction with what it writes itself."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping

from sqlalchemy import Engine, select
from sqlalchemy.exc import SQLAlchemyError

from cutline.consumer.database import Clock, utc_now
from cutline.consumer.database_errors import is_away, is_busy
from cutline.consumer.effects import GateSettings
from cutline.consumer.epochs import EpochGuard
from cutline.consumer.errors import ConsumerError, Stopping
from cutline.consumer.handling import Handled, Handler, HandlerFailure, Handling
from cutline.consumer.inbox import forget
from cutline.consumer.letters import Letters
from cutline.consumer.outbox import Action, Outbox
from cutline.consumer.parking import Parking
from cutline.consumer.policy import ConsumerPolicy
from cutline.consumer.positions import Partition, begin, positions
from cutline.consumer.received import Received
from cutline.consumer.redrive import Redrive
from cutline.consumer.store import Owner, Store
from cutline.consumer.tables import COUNTS, METADATA
from cutline.consumer.taking_over import take_over
from cutline.consumer.versions import enter_version

_LOG = logging.getLogger("cutline.consumer")
_DAY = 86_400.0


class Service:
    """Handles records, whatever brings them. `name` and `version` say whose rows it keeps.

    A version is what was built from the beginning: a service that reads history anew gets another.
    `outbox`, `letters`, `parking` and `redrive` are what a person looks at and decides on.
    """

    def __init__(
        self,
        name: str,
        version: str,
        database: Engine,
        handler: Handler,
        actions: Mapping[str, Action] | None = None,
        policy: ConsumerPolicy | None = None,
        clock: Clock = utc_now,
    ) -> None:
        self.policy = policy or ConsumerPolicy()
        self.owner = Owner(name, version)
        self._stopped = threading.Event()
        self._begun: set[Partition] = set()
        self._store = Store(database, self.owner, clock)
        by_name = dict(actions or {})
        self.outbox = Outbox(self._store, by_name, self.policy)
        self.letters = Letters(self._store)
        self.parking = Parking(self._store)
        self._handling = Handling(
            self._store,
            self.policy,
            GateSettings(self.policy.mode, frozenset(by_name)),
            EpochGuard(self.owner, self.policy.authority),
            self.letters,
            self.parking,
            handler,
        )
        self.redrive = Redrive(self._handling)

    def make_tables(self) -> None:
        """Makes the tables in the service's database that are not there."""
        self._store.make_tables(METADATA)

    def handle(self, record: Received) -> Handled:
        """Handles a record once, or passes it over, parks it, or puts it aside.

        It is tried again where the handler raises, up to the ceiling; then it is a dead letter.
        Stopping is raised, and nothing of the record is done, where the service is stopped between
        two attempts; what the database raises, where it is away, or where other transactions are in
        the way of each attempt. ConsumerError where the handler ends the transaction.
        """
        self._begin_once((record.topic, record.partition))
        retries = self.policy.retries
        attempts = 0
        while True:
            try:
                return self._handling.attempt(record)
            except ConsumerError:
                raise
            except Exception as error:
                if is_away(error):
                    raise
                attempts += 1
                reason = f"{type(error).__name__}: {error}"
                _LOG.warning("event failed", extra={**_place(record), "attempt": attempts})
                if attempts >= retries.attempts and is_busy(error):
                    raise
            if attempts >= retries.attempts:
                return self._put_aside(record, HandlerFailure(reason, attempts))
            if self._stopped.wait(retries.pause(attempts)):
                raise Stopping

    def begin(self, partition: Partition) -> int:
        """The offset from which a partition is to be read, whatever Kafka has stored of it.

        ConsumerError where this version began in another mode, and for an engine that commits
        each statement by itself.
        """
        with self._store.transaction() as connection:
            enter_version(connection, self.owner, self.policy.mode)
            self._store.refuse_autocommit(connection)
            return begin(connection, self.owner, partition)

    def positions(self) -> dict[Partition, int]:
        """The next offset of each partition that was ever begun."""
        with self._store.transaction() as connection:
            return positions(connection, self.owner)

    def behind(self, ends: Mapping[Partition, int]) -> dict[Partition, int]:
        """By partition how many offsets are left up to its end; empty when all is handled."""
        current = self.positions()
        left = {place: end - current.get(place, 0) for place, end in ends.items()}
        return {place: offsets for place, offsets in left.items() if offsets > 0}

    def take_over(self, version: str) -> None:
        """Has effects suppressed up to where an earlier version of the service has come.

        ConsumerError where this version is ahead of it, where it has effects to send or letters to
        decide on, which this one would never act on, or where it never was anywhere.
        """
        with self._store.transaction() as connection:
            take_over(connection, self.owner, Owner(self.owner.service, version))

    def counts(self) -> dict[tuple[str, str], int]:
        """By effect and result how often; under `event` the records that were not just handled."""
        totals: dict[tuple[str, str], int] = {}
        with self._store.transaction() as connection:
            for row in connection.execute(select(COUNTS).where(self.owner.rows(COUNTS))):
                totals[row.name, row.result] = totals.get((row.name, row.result), 0) + row.number
        return totals

    def forget(self) -> int:
        """Removes ids and sent effects that are older than the retention; the number of ids."""
        before = self._store.now(-_DAY * self.policy.retention_days)
        self.outbox.forget(before)
        with self._store.transaction() as connection:
            return forget(connection, self.owner, before)

    def stop(self) -> None:
        """Has no further attempt begin, and no further record be brought."""
        self._stopped.set()

    @property
    def is_stopped(self) -> bool:
        """Whether somebody has stopped the service."""
        return self._stopped.is_set()

    def _begin_once(self, partition: Partition) -> None:
        if partition not in self._begun:
            self.begin(partition)
            self._begun.add(partition)

    def _put_aside(self, record: Received, failure: HandlerFailure) -> Handled:
        try:
            result = self._handling.attempt(record, failure)
        except SQLAlchemyError as error:
            raise ConsumerError(
                f"topic {record.topic}, partition {record.partition}, offset {record.offset}: "
                f"the event failed, and the service's database takes no dead letter: "
                f"{type(error).__name__}",
                left_behind="Nothing of this event was written, and the position is before it.",
                next_step="See that the database answers, and start the service again.",
            ) from error
        _LOG.error("event put aside", extra={**_place(record), "attempts": failure.attempts})
        return result


def _place(record: Received) -> dict[str, str | int]:
    """Where a record is, as the fields of a log record."""
    return {"topic": record.topic, "partition": record.partition, "offset": record.offset}
