"""How a new version of a service takes over from the one before: nothing is done twice or never."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import Connection, case, func, select

from cutline.consumer.errors import ConsumerError
from cutline.consumer.letters import DISCARDED
from cutline.consumer.outbox import unsent
from cutline.consumer.positions import Partition, mark_of, positions
from cutline.consumer.store import Owner, upsert
from cutline.consumer.tables import LETTERS, MARKS
from cutline.consumer.versions import let_act

_NOTHING = "No mark was raised."


def take_over(connection: Connection, owner: Owner, earlier: Owner) -> None:
    """Raises the marks of a version to the positions of an earlier one; a higher mark stays.

    ConsumerError where that would lose effects or perform them twice.
    """
    marks = positions(connection, earlier)
    if not marks:
        raise ConsumerError(
            f"{earlier.service} has no version {earlier.version} with a position",
            left_behind=_NOTHING,
            next_step="Name the version that has acted until now.",
        )
    _refuse_unfinished(connection, earlier)
    _refuse_ahead(connection, owner, marks)
    let_act(connection, owner)
    for (topic, number), mark in marks.items():
        upsert(
            connection,
            MARKS,
            owner.columns | {"topic": topic, "partition": number, "mark": mark},
            "mark",
            lambda old, new: case((old > new, old), else_=new),
        )


def _refuse_unfinished(connection: Connection, earlier: Owner) -> None:
    rows = select(func.count()).where(earlier.rows(LETTERS), LETTERS.c.status != DISCARDED)
    letters = connection.execute(rows).scalar_one()
    effects = unsent(connection, earlier)
    if letters or effects:
        raise ConsumerError(
            f"{earlier.service} version {earlier.version} has {effects} effects to send and "
            f"{letters} events that were put aside",
            left_behind=_NOTHING,
            next_step="Let it send them, retry or discard what was put aside, and take over again.",
        )


def _refuse_ahead(connection: Connection, owner: Owner, marks: Mapping[Partition, int]) -> None:
    """What a version that is ahead has handled in between, it handled in silence, or acted on
    beside the earlier one."""
    ahead = [
        f"topic {topic}, partition {number}: at {offset}, the earlier version at "
        f"{marks.get((topic, number), 0)}"
        for (topic, number), offset in sorted(positions(connection, owner).items())
        if offset > max(marks.get((topic, number), 0), mark_of(connection, owner, (topic, number)))
    ]
    if ahead:
        raise ConsumerError(
            f"{owner.service} version {owner.version} is ahead of the version that it takes over "
            f"from: {'; '.join(ahead)}",
            left_behind=_NOTHING,
            next_step="Stop this version, let the earlier one go on until it is past these "
            "offsets, stop it, and take over again.",
        )
