"""Sending what the outbox holds: behind the transaction that asked for it, at least once each."""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, delete, func, select, update

from cutline.consumer.effects import FAILED, PENDING, SENT
from cutline.consumer.errors import ConsumerError
from cutline.consumer.gate import Mode
from cutline.consumer.policy import ConsumerPolicy
from cutline.consumer.store import Owner, Store, storable
from cutline.consumer.tables import OUTBOX

_LOG = logging.getLogger("cutline.consumer")


@dataclass(frozen=True)
class Effect:
    """One effect, as its action gets it. Whoever does it must do the same `key` once only."""

    key: str
    name: str
    arguments: Mapping[str, Any]
    source: str
    event_id: str


Action = Callable[[Effect], None]


class Outbox:
    """The effects of a service that are to be sent, each by the action of its name."""

    def __init__(self, store: Store, actions: Mapping[str, Action], policy: ConsumerPolicy) -> None:
        self._store, self._actions, self._policy = store, actions, policy

    def deliver(self, seconds: float | None = None) -> int:
        """Sends what is due, in the order in which it was asked for; the number that was sent.

        With `seconds` it begins no further one after so long, and the next call goes on.

        An action that raises is tried again when it is due, and waits as often as `retries` says;
        then the effect is `failed`, and stays. In a rehearsal and in a shadow nothing is sent.
        """
        if self._policy.mode is not Mode.LIVE:
            return 0
        sent, begun = 0, time.monotonic()
        while (row := self._claim()) is not None:
            sent += self._send(row)
            if seconds is not None and time.monotonic() - begun >= seconds:
                break
        return sent

    def pending(self) -> int:
        """How many effects are still to be sent."""
        with self._store.transaction() as connection:
            return unsent(connection, self._store.owner)

    def failed(self) -> Sequence[Row[Any]]:
        """The effects that were given up, with the reason of the last attempt."""
        with self._store.transaction() as connection:
            return connection.execute(
                select(OUTBOX)
                .where(self._store.owner.rows(OUTBOX), OUTBOX.c.status == FAILED)
                .order_by(OUTBOX.c.number)
            ).all()

    def resend(self, key: str) -> None:
        """Has an effect that was given up sent again. ConsumerError where there is none."""
        with self._store.transaction() as connection:
            rows = connection.execute(
                update(OUTBOX)
                .where(
                    self._store.owner.rows(OUTBOX),
                    OUTBOX.c.key == key,
                    OUTBOX.c.status == FAILED,
                )
                .values(status=PENDING, attempts=0, due_at=self._store.now())
            )
        if not rows.rowcount:
            raise ConsumerError(
                f"{OUTBOX.name} has no failed effect {key}",
                left_behind="Nothing was changed.",
                next_step="List the failed effects, and take a key from there.",
            )

    def forget(self, before: str) -> int:
        """Removes effects that were sent and had been asked for before a moment; their number."""
        with self._store.transaction() as connection:
            rows = connection.execute(
                delete(OUTBOX).where(
                    self._store.owner.rows(OUTBOX),
                    OUTBOX.c.status == SENT,
                    OUTBOX.c.made_at < before,
                )
            )
        return rows.rowcount

    def _claim(self) -> Row[Any] | None:
        """The first effect that is due; nobody else sends it until the claim ends."""
        now, claim_ends = self._store.now(), self._store.now(self._policy.claim_seconds)
        due = (
            self._store.owner.rows(OUTBOX) & (OUTBOX.c.status == PENDING) & (OUTBOX.c.due_at <= now)
        )
        first = select(OUTBOX.c.number).where(due).order_by(OUTBOX.c.number).limit(1)
        with self._store.transaction() as connection:
            # In a transaction of its own: on SQLite, one that has read cannot always write.
            if connection.execute(first).first() is None:
                return None
        claim = uuid.uuid4().hex
        with self._store.transaction() as connection:
            # `due` once more: what another process claims meanwhile is due no longer.
            rows = connection.execute(
                update(OUTBOX)
                .where(due, OUTBOX.c.number.in_(first))
                .values(claimed_by=claim, due_at=claim_ends)
            )
            if not rows.rowcount:
                return None
            return connection.execute(select(OUTBOX).where(OUTBOX.c.claimed_by == claim)).one()

    def _send(self, row: Row[Any]) -> bool:
        effect = Effect(row.key, row.name, row.arguments, row.source, row.event_id)
        try:
            self._action(row.name)(effect)
        except Exception as error:
            self._note_failure(row, f"{type(error).__name__}: {error}")
            return False
        self._note(row, status=SENT, attempts=row.attempts + 1)
        return True

    def _action(self, name: str) -> Action:
        if name not in self._actions:
            raise ConsumerError(f"no action was declared for the effect {name}")
        return self._actions[name]

    def _note_failure(self, row: Row[Any], reason: str) -> None:
        attempts = row.attempts + 1
        given_up = attempts >= self._policy.retries.attempts
        self._note(
            row,
            status=FAILED if given_up else PENDING,
            attempts=attempts,
            reason=storable(reason),
            due_at=self._store.now(self._policy.retries.pause(attempts)),
        )
        if given_up:
            _LOG.error("effect failed", extra={"effect": row.name, "effect_key": row.key})

    def _note(self, row: Row[Any], **values: Any) -> None:
        with self._store.transaction() as connection:
            connection.execute(
                update(OUTBOX)
                .where(OUTBOX.c.number == row.number, OUTBOX.c.claimed_by == row.claimed_by)
                .values(**values)
            )


def unsent(connection: Connection, owner: Owner) -> int:
    """How many effects of a version of a service are still to be sent."""
    rows = select(func.count()).where(owner.rows(OUTBOX), OUTBOX.c.status == PENDING)
    return int(connection.execute(rows).scalar_one())
