"""Dead letters, and the later events of their subjects, as rows of one table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, delete, insert, select, update

from cutline.consumer.errors import ConsumerError
from cutline.consumer.holding import hold, is_held, let_go
from cutline.consumer.received import Received
from cutline.consumer.store import Store, storable
from cutline.consumer.tables import LETTERS

DEAD, WAITING, DISCARDED = "dead", "waiting", "discarded"


@dataclass(frozen=True)
class SubjectLine:
    """The events that wait for each other: of one subject of one stream. A subject of null, where
    nobody can tell it, has no line: nobody waits for its events."""

    stream: str
    subject: str | None


class Letters:
    """The letters of a service, in the order in which they were put aside."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def put_dead(
        self,
        connection: Connection,
        line: SubjectLine,
        record: Received,
        reason: str,
        attempts: int,
    ) -> None:
        """Puts a record aside, and has the later ones of its line wait."""
        self._insert(
            connection, line, record, status=DEAD, reason=storable(reason), attempts=attempts
        )
        if line.subject is not None:
            hold(connection, self._store.owner, line.stream, line.subject)

    def queue(self, connection: Connection, line: SubjectLine, record: Received) -> bool:
        """Puts a record behind the dead letter of its line; false where there is none."""
        if line.subject is None:
            return False
        if not is_held(connection, self._store.owner, line.stream, line.subject):
            return False
        self._insert(connection, line, record, status=WAITING, reason=None, attempts=0)
        return True

    def shown(self, *statuses: str) -> Sequence[Row[Any]]:
        """The letters of these statuses, all by default, in the order of their numbers."""
        with self._store.transaction() as connection:
            return connection.execute(
                select(LETTERS)
                .where(
                    self._store.owner.rows(LETTERS),
                    LETTERS.c.status.in_(statuses or (DEAD, WAITING, DISCARDED)),
                )
                .order_by(LETTERS.c.number)
            ).all()

    def dead(self, connection: Connection, number: int) -> Row[Any]:
        """A dead letter, with its line locked until the transaction ends.

        ConsumerError where the number is no dead letter.
        """
        letter = self._dead(connection, number)
        if letter is not None and letter.subject is not None:
            is_held(connection, self._store.owner, letter.stream, letter.subject)
            letter = self._dead(connection, number)
        if letter is None:
            raise ConsumerError(
                f"{LETTERS.name} has no dead letter {number}",
                left_behind="Nothing was changed.",
                next_step="List the dead letters, and take a number from there.",
            )
        return letter

    def first(self, connection: Connection, line: SubjectLine) -> Row[Any] | None:
        """The letter that stands first in a line, with the line locked; null, and nobody waits
        there any longer, where none is left."""
        if line.subject is None:
            return None
        owner = self._store.owner
        is_held(connection, owner, line.stream, line.subject)
        letter = connection.execute(
            select(LETTERS)
            .where(
                owner.rows(LETTERS),
                LETTERS.c.stream == line.stream,
                LETTERS.c.subject == line.subject,
                LETTERS.c.status != DISCARDED,
            )
            .order_by(LETTERS.c.number)
            .limit(1)
        ).one_or_none()
        if letter is None:
            let_go(connection, owner, line.stream, line.subject)
        return letter

    def remove(self, connection: Connection, number: int) -> bool:
        """Removes a letter that is handled; false where somebody else has decided on it."""
        rows = connection.execute(delete(LETTERS).where(*_undecided(number)))
        return rows.rowcount > 0

    def change(self, connection: Connection, number: int, **values: Any) -> None:
        """Changes columns of a letter, unless somebody else has decided on it."""
        connection.execute(update(LETTERS).where(*_undecided(number)).values(**values))

    def _dead(self, connection: Connection, number: int) -> Row[Any] | None:
        return connection.execute(
            select(LETTERS).where(
                self._store.owner.rows(LETTERS),
                LETTERS.c.number == number,
                LETTERS.c.status == DEAD,
            )
        ).one_or_none()

    def _insert(
        self, connection: Connection, line: SubjectLine, record: Received, **values: Any
    ) -> None:
        connection.execute(
            insert(LETTERS).values(
                **self._store.owner.columns,
                **record.stored(),
                stream=line.stream,
                subject=line.subject,
                put_aside_at=self._store.now(),
                **values,
            )
        )


def _undecided(number: int) -> tuple[ColumnElement[bool], ...]:
    return LETTERS.c.number == number, LETTERS.c.status != DISCARDED
