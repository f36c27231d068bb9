"""What each version of a translator meant when a run first used it."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import select, update

from cutline.control.database import Database
from cutline.control.models import MEANINGS
from cutline.control.rows import read_row


@dataclass(frozen=True)
class Meaning:
    """One version of one translator: its fingerprint, how that was made, the run that used it."""

    translator: str
    version: str
    fingerprint: str
    made_by: str
    run_id: str


def meanings(database: Database, context: str) -> tuple[Meaning, ...]:
    """What runs of the context have used so far, by translator and version."""
    c = MEANINGS.c
    query = select(MEANINGS).where(c.context == context).order_by(c.translator, c.version)
    with database.read() as connection:
        rows = connection.execute(query).all()
    return tuple(read_row(database, MEANINGS, row, Meaning) for row in rows)


def remember_meaning(database: Database, context: str, meaning: Meaning) -> None:
    """Stores the meaning of a version, in place of one whose fingerprint was made otherwise."""
    key = {"context": context, "translator": meaning.translator, "version": meaning.version}
    values = {
        "fingerprint": meaning.fingerprint,
        "made_by": meaning.made_by,
        "run_id": meaning.run_id,
    }
    with database.write() as connection:
        database.insert_if_missing(connection, MEANINGS, **key, **values)
        stale = MEANINGS.c.made_by != meaning.made_by
        connection.execute(update(MEANINGS).filter_by(**key).where(stale).values(**values))
