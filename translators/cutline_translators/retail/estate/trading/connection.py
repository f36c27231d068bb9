"""The connection to the database in which the retailer trades, whose errors are Cutline's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from cutline.errors import RunFailed
from cutline.sample import LivePlaces

if TYPE_CHECKING:
    import psycopg


def connect(places: LivePlaces) -> psycopg.Connection[Any]:
    """A connection that commits by itself outside a transaction."""
    import psycopg

    with told_errors(places):
        return psycopg.connect(places.address, autocommit=True)


@contextmanager
def told_errors(places: LivePlaces) -> Iterator[None]:
    """RunFailed, naming the database, for what the server refuses meanwhile."""
    import psycopg

    try:
        yield
    except psycopg.Error as error:
        first = (str(error).splitlines() or [type(error).__name__])[0]
        raise RunFailed(
            f"database {places.name} of the sample does not take what is written: {first}",
            left_behind="What was committed before is there.",
            next_step="See that the server answers, then run the same command again.",
        ) from None
