"""Whether a version of a service acts: a process of another mode would move its positions."""

from __future__ import annotations

from sqlalchemy import Connection, select

from cutline.consumer.errors import ConsumerError
from cutline.consumer.gate import Mode
from cutline.consumer.store import Owner, insert_if_missing, upsert
from cutline.consumer.tables import VERSIONS

_NOTHING = "Nothing was handled."


def enter_version(connection: Connection, owner: Owner, mode: Mode) -> None:
    """Notes the mode of a version when it begins.

    ConsumerError where it began in another mode: a shadow would pass over, in silence, what the
    version has to act on, and what a shadow has passed over nobody acts on.
    """
    insert_if_missing(connection, VERSIONS, owner.columns | {"mode": mode.value})
    refuse_other_mode(connection, owner, mode)


def refuse_other_mode(connection: Connection, owner: Owner, mode: Mode) -> None:
    """ConsumerError where a version has another mode than a process of it, as when a new version
    has taken over while its shadow slept."""
    begun = mode_of(connection, owner)
    if begun in (mode, None):
        return
    name = f"{owner.service} version {owner.version}"
    if mode is Mode.LIVE and begun == Mode.SHADOW:
        raise ConsumerError(
            f"{name} has been a shadow, and nobody has acted on what it handled",
            left_behind=_NOTHING,
            next_step="Take over from the version that acts, or start a version of its own, "
            "which reads from the beginning.",
        )
    raise ConsumerError(
        f"{name} is {begun}, and this process would go on as {mode.value} with the same positions",
        left_behind=_NOTHING,
        next_step="Give this process a version of its own.",
    )


def mode_of(connection: Connection, owner: Owner) -> Mode | None:
    """The mode of a version; null for one that has not begun."""
    mode = connection.execute(
        select(VERSIONS.c.mode).where(owner.rows(VERSIONS))
    ).scalar_one_or_none()
    return None if mode is None else Mode(mode)


def let_act(connection: Connection, owner: Owner) -> None:
    """Has a version that was a shadow, or has not begun, be live from now on."""
    insert_if_missing(connection, VERSIONS, owner.columns | {"mode": Mode.LIVE.value})
    if mode_of(connection, owner) is Mode.REHEARSAL:
        raise ConsumerError(
            f"{owner.service} version {owner.version} is a rehearsal, which never acts",
            left_behind="No mark was raised.",
            next_step="Start a version of its own.",
        )
    upsert(
        connection,
        VERSIONS,
        owner.columns | {"mode": Mode.LIVE.value},
        "mode",
        lambda _, new: new,
    )
