"""The rows of a partition in the tables of handovers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import ColumnElement, Connection, Table, and_

from cutline.consumer.handover.tables import CATCH_UP, LIVE
from cutline.consumer.store import insert_if_missing


def of_partition(table: Table, key: Mapping[str, Any]) -> ColumnElement[bool]:
    """Whether a row is that of a partition, whose key is given."""
    return and_(*(table.c[name] == value for name, value in key.items()))


def insert_partition(
    connection: Connection,
    key: Mapping[str, Any],
    *,
    first: int,
    live: int,
    handed_over_at: int | None = None,
    ended_at: str | None = None,
) -> None:
    """Makes the rows of a partition, unless they are there: the catch-up begins at offset `first`,
    and the service has handled what is below `live`."""
    of_service = {"next_offset": live, "registered_at": None, "handed_over_at": handed_over_at}
    insert_if_missing(connection, LIVE, {**key, **of_service})
    counts = {"handled": 0, "without_row": 0, "failed_at": None, "ended_at": ended_at}
    offsets = {"first_offset": first, "next_offset": first}
    insert_if_missing(connection, CATCH_UP, {**key, **offsets, **counts})
