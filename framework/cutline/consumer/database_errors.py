"""The service's database as a cause: what is its fault is not that of the event at hand."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import (
    DBAPIError,
    InterfaceError,
    OperationalError,
    SQLAlchemyError,
    TimeoutError,
)

from cutline.consumer.errors import ConsumerError

_PRIMARY = 0xFF
_IN_POSTGRES = ("40001", "40P01", "55P03")
"""SQLSTATE of a serialization failure, of a deadlock, and of a lock that is not to be had."""


def is_away(error: Exception) -> bool:
    """Whether the database could not be reached, or ended the connection.

    An error of the commit itself, as of a constraint that is checked there, is the event's.
    """
    if isinstance(error, TimeoutError):
        return True
    if not isinstance(error, DBAPIError):
        return False
    of_no_statement = error.statement is None
    unreachable = isinstance(error, OperationalError | InterfaceError) and of_no_statement
    return error.connection_invalidated or unreachable


def is_busy(error: Exception) -> bool:
    """Whether another transaction was in the way: a lock that was waited for, or a deadlock."""
    cause = error.orig if isinstance(error, DBAPIError) else None
    in_sqlite = getattr(cause, "sqlite_errorcode", 0) & _PRIMARY == sqlite3.SQLITE_BUSY
    return in_sqlite or getattr(cause, "sqlstate", None) in _IN_POSTGRES


@contextmanager
def explained_database_errors() -> Iterator[None]:
    """What the service's database raises, as a ConsumerError."""
    try:
        yield
    except SQLAlchemyError as error:
        raise ConsumerError(
            f"the service's database failed: {type(error).__name__}",
            left_behind="The event at hand was written as a whole or not at all; if not, it comes "
            "again.",
            next_step="See that the database answers, and start the service again.",
        ) from error
