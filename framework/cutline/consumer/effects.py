"""Effects: what a service does that others see, such as a mail.

A handler asks for an effect; it is written to the outbox in the handler's own transaction, and sent
behind it, with a key that is the same whenever and by whomever it is sent.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, update

from cutline.consumer.envelope import Envelope
from cutline.consumer.errors import ConsumerError
from cutline.consumer.gate import Mode, suppressed_because
from cutline.consumer.positions import mark_of
from cutline.consumer.received import Received
from cutline.consumer.store import Store, insert_if_missing, upsert
from cutline.consumer.tables import COUNTS, OUTBOX

PENDING, SENT, FAILED = "pending", "sent", "failed"
PERFORMED, REPEATED = "performed", "repeated"


def effect_key(service: str, event: Envelope, name: str, ordinal: int) -> str:
    """The key of an effect: SHA-256, in hexadecimal, of its parts in UTF-8, a line each.

    The parts are the service, the event's source and id, the effect's name, and its ordinal: from 0
    on, which effect of that name it is for that event. No version: the next one of the service
    gives the same key.
    """
    lines = "\n".join([service, event.source, event.id, name, str(ordinal)])
    return hashlib.sha256(lines.encode()).hexdigest()


@dataclass(frozen=True)
class GateSettings:
    """What the gate knows of the process: its mode, and the names of effects that it can send."""

    mode: Mode
    names: Collection[str]


class Effects:
    """The effects of one event. All of them pass `perform`; there is no other way."""

    def __init__(
        self,
        connection: Connection,
        store: Store,
        gate: GateSettings,
        record: Received,
        event: Envelope,
        *,
        state: bool,
    ) -> None:
        self._connection, self._store, self._gate = connection, store, gate
        self._record, self._event, self._state = record, event, state
        self._ordinals: Counter[str] = Counter()

    def perform(self, name: str, arguments: Mapping[str, Any]) -> None:
        """Has an effect sent when the transaction is committed, or suppresses it; both are counted.

        `arguments` is an object of JSON. ConsumerError for an effect that no action was declared
        for, and for arguments that are no JSON.
        """
        arguments = self._checked(name, arguments)
        ordinal = self._ordinals[name]
        self._ordinals[name] += 1
        owner, record = self._store.owner, self._record
        result = suppressed_because(
            self._event,
            offset=record.offset,
            mark=mark_of(self._connection, owner, (record.topic, record.partition)),
            mode=self._gate.mode,
            state=self._state,
        )
        if result is None:
            result = PERFORMED if self._write(name, arguments, ordinal) else REPEATED
        count(self._connection, self._store, record, name, result)

    def _write(self, name: str, arguments: Mapping[str, Any], ordinal: int) -> bool:
        """False where another version of the service has asked for it.

        What that one has not sent yet, this one sends: the other may never run again.
        """
        owner, moment = self._store.owner, self._store.now()
        key = effect_key(owner.service, self._event, name, ordinal)
        is_new = insert_if_missing(
            self._connection,
            OUTBOX,
            owner.columns
            | {
                "key": key,
                "name": name,
                "arguments": dict(arguments),
                "source": self._event.source,
                "event_id": self._event.id,
                "status": PENDING,
                "attempts": 0,
                "due_at": moment,
                "made_at": moment,
            },
        )
        if not is_new:
            self._connection.execute(
                update(OUTBOX)
                .where(
                    OUTBOX.c.service == owner.service,
                    OUTBOX.c.key == key,
                    OUTBOX.c.status == PENDING,
                )
                .values(version=owner.version)
            )
        return is_new

    def _checked(self, name: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        if name not in self._gate.names:
            declared = ", ".join(sorted(self._gate.names)) or "none"
            raise ConsumerError(
                f"no action was declared for the effect {name}; declared: {declared}",
                left_behind="Nothing of this event was written.",
                next_step="Give the service an action of that name.",
            )
        try:
            json.dumps(arguments, allow_nan=False)
        except (TypeError, ValueError) as error:
            raise ConsumerError(
                f"the arguments of the effect {name} are no JSON: {error}",
                left_behind="Nothing of this event was written.",
                next_step="Give numbers with a point as texts.",
            ) from error
        return arguments


def count(connection: Connection, store: Store, record: Received, name: str, result: str) -> None:
    """Counts one result of a record, in the transaction that it belongs to."""
    upsert(
        connection,
        COUNTS,
        store.owner.columns
        | {
            "topic": record.topic,
            "partition": record.partition,
            "name": name,
            "result": result,
            "number": 1,
        },
        "number",
        lambda old, new: old + new,
    )
