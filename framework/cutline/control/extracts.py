"""When a source was first read at a position: a run that is done again keeps that moment."""

from __future__ import annotations

import datetime as dt
import hashlib
from dataclasses import dataclass

from sqlalchemy import select

from cutline.control.database import Database
from cutline.control.models import EXTRACTS
from cutline.control.rows import read_row


def remember_extract(
    database: Database,
    context: str,
    region: str,
    source: str,
    position: str,
    extracted_at: dt.datetime,
) -> dt.datetime:
    """The moment stored for this input, else the given one, which is stored."""
    key = {
        "context": context,
        "region": region,
        "source": source,
        "position_digest": hashlib.sha256(position.encode()).hexdigest(),
    }
    with database.write() as connection:
        database.insert_if_missing(
            connection, EXTRACTS, **key, position=position, extracted_at=extracted_at
        )
        row = connection.execute(select(EXTRACTS).filter_by(**key)).one()
    return read_row(database, EXTRACTS, row, _FirstRead).extracted_at


@dataclass(frozen=True)
class _FirstRead:
    """When a source was first read at a position."""

    extracted_at: dt.datetime
