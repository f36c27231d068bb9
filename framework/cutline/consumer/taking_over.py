"""How a new version of a service takes over from the one before: nothing is done twice or never."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import ColumnElement, Connection, Table, case, func, select

from cutline.consumer.errors import ConsumerError
from cutline.consumer.gate import Mode
from cutline.consumer.holding import is_of_release
from cutline.consumer.letters import DISCARDED
from cutline.consumer.outbox import unsent
from cutline.consumer.positions import Partition, lock_positions, mark_of, positions
from cutline.consumer.store import Owner, upsert
from cutline.consumer.tables import LETTERS, MARKS, PARKED
from cutline.consumer.versions import let_act, mode_of

_NOTHING = "No mark was raised."


def take_over(connection: Connection, owner: Owner, earlier: Owner) -> None:
    """Raises the marks of a version to the positions of an earlier one; a higher mark stays.

    ConsumerError where that would lose effects or perform them twice. Whoever handles a record of
    either version at that moment is waited for.
    """
    lock_positions(connection, owner)
    lock_positions(connection, earlier)
    marks = positions(connection, earlier)
    if not marks:
        raise ConsumerError(
            f"{earlier.service} has no version {earlier.version} with a position",
            left_behind=_NOTHING,
            next_step="Name the version that has acted until now.",
        )
    _refuse_silent(connection, earlier)
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


def _refuse_silent(connection: Connection, earlier: Owner) -> None:
    """A shadow or a rehearsal has acted on nothing."""
    mode = mode_of(connection, earlier)
    if mode is not Mode.LIVE:
        raise ConsumerError(
            f"{earlier.service} version {earlier.version} is {mode}, and has acted on nothing",
            left_behind=_NOTHING,
            next_step="Name the version that has acted until now.",
        )


def _refuse_unfinished(connection: Connection, earlier: Owner) -> None:
    letters = _number(connection, LETTERS, earlier.rows(LETTERS), LETTERS.c.status != DISCARDED)
    parked = _number(connection, PARKED, earlier.rows(PARKED), PARKED.c.discarded.is_(None))
    effects = unsent(connection, earlier)
    if letters or parked or effects:
        raise ConsumerError(
            f"{earlier.service} version {earlier.version} has {effects} effects to send, "
            f"{letters} events that were put aside, and {parked} that are parked",
            left_behind=_NOTHING,
            next_step="Let it send them, retry, release or discard the others, and take over "
            "again.",
        )


def _number(connection: Connection, table: Table, *conditions: ColumnElement[bool]) -> int:
    rows = select(func.count()).select_from(table).where(*conditions)
    return int(connection.execute(rows).scalar_one())


def _refuse_ahead(connection: Connection, owner: Owner, marks: Mapping[Partition, int]) -> None:
    """What a version that is ahead has handled in between, it handled in silence, or acted on
    beside the earlier one. Topics of a release have nothing that anybody acts on, and the earlier
    version need not know them."""
    ahead = [
        f"topic {topic}, partition {number}: at {offset}, the earlier version at "
        f"{marks.get((topic, number), 0)}"
        for (topic, number), offset in sorted(positions(connection, owner).items())
        if not is_of_release(topic)
        and offset > max(marks.get((topic, number), 0), mark_of(connection, owner, (topic, number)))
    ]
    if ahead:
        raise ConsumerError(
            f"{owner.service} version {owner.version} is ahead of the version that it takes over "
            f"from: {'; '.join(ahead)}",
            left_behind=_NOTHING,
            next_step="Stop this version, let the earlier one go on until it is past these "
            "offsets, stop it, and take over again.",
        )
