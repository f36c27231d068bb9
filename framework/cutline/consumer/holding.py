"""Holds: subjects whose events wait, in the order in which they came, behind a dead letter."""

from __future__ import annotations

import re

from sqlalchemy import ColumnElement, Connection, delete, update

from cutline.consumer.store import Owner, upsert
from cutline.consumer.tables import HOLDS

_HISTORY_AND_LIVE = (".synthetic", ".live")
_OF_RELEASE = re.compile(r"([^.]+)\.release\.([^.]+)\.\d+\..+\.([^.]+)")


def is_of_release(topic: str) -> bool:
    """Whether a topic is one of a release, which has history and states of one run alone."""
    return _OF_RELEASE.fullmatch(topic) is not None


def stream_of(topic: str) -> str:
    """What history and live events of one aggregate have in common: the topic without its kind.

    >>> stream_of("retail.fulfilment.order.synthetic"), stream_of("retail.fulfilment.order.live")
    ('retail.fulfilment.order', 'retail.fulfilment.order')

    History of a release is that of its aggregate:

    >>> stream_of("retail.release.fulfilment.3.eu.west.order.synthetic")
    'retail.fulfilment.order'
    """
    stream = topic
    for kind in _HISTORY_AND_LIVE:
        stream = stream.removesuffix(kind)
    of_release = None if stream == topic else _OF_RELEASE.fullmatch(stream)
    return stream if of_release is None else ".".join(of_release.groups())


def hold(connection: Connection, owner: Owner, stream: str, subject: str) -> None:
    """Has the later events of a subject wait. Nobody changes that before the transaction ends, also
    where they waited before: whoever finds the line empty does not see what is put there now."""
    upsert(
        connection,
        HOLDS,
        owner.columns | {"stream": stream, "subject": subject},
        "subject",
        lambda _, new: new,
    )


def is_held(connection: Connection, owner: Owner, stream: str, subject: str) -> bool:
    """Whether a subject's events wait. If so, nobody changes that before the transaction ends."""
    rows = connection.execute(
        update(HOLDS).where(*_of(owner, stream, subject)).values(subject=subject)
    )
    return rows.rowcount > 0


def let_go(connection: Connection, owner: Owner, stream: str, subject: str) -> None:
    """Has the events of a subject wait no longer."""
    connection.execute(delete(HOLDS).where(*_of(owner, stream, subject)))


def _of(owner: Owner, stream: str, subject: str) -> tuple[ColumnElement[bool], ...]:
    return owner.rows(HOLDS), HOLDS.c.stream == stream, HOLDS.c.subject == subject
