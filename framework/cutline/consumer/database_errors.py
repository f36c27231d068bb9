"""The service's database as a cause: what is its fault is not that of the event at hand."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from cutline.consumer.errors import ConsumerError


def is_away(error: Exception) -> bool:
    """Whether the database could not be reached, or ended the connection."""
    if not isinstance(error, DBAPIError):
        return False
    return error.connection_invalidated or error.statement is None


@contextmanager
def explained_database_errors() -> Iterator[None]:
    """What the service's database raises, as a ConsumerError."""
    try:
        yield
    except SQLAlchemyError as error:
        raise ConsumerError(
            f"the service's database failed: {type(error).__name__}",
            left_behind="Nothing of the event at hand was written; it comes again.",
            next_step="See that the database answers, and start the service again.",
        ) from error
