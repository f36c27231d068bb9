"""The gate that every effect passes: whether it may happen, or why it must not."""

from __future__ import annotations

from enum import StrEnum

from cutline.consumer.envelope import NATIVE, Envelope


class Mode(StrEnum):
    """What a process is: the service itself, or one that must be seen by nobody."""

    LIVE = "live"
    REHEARSAL = "rehearsal"
    SHADOW = "shadow"


REPLAY, WARM_UP, STATE = "replay", "warm-up", "state"


def suppressed_because(
    event: Envelope, *, offset: int, mark: int, mode: Mode, state: bool
) -> str | None:
    """Why an effect of an event is suppressed; null where it may happen.

    `rehearsal`, `shadow`: the process is one. `state`: the record is of a topic of states, and
    announces nothing. `replay`: the event says that it is not safe, or it is not native and does
    not say that it is safe. `warm-up`: its offset is below the mark of its partition, so the
    version before has acted on it, however often this one was interrupted.
    """
    if mode is not Mode.LIVE:
        return mode.value
    if state:
        return STATE
    if not is_safe(event):
        return REPLAY
    return WARM_UP if offset < mark else None


def is_safe(event: Envelope) -> bool:
    """Whether an event may cause effects: as it says; else, whether it is a native one."""
    if event.migreplaysafe is not None:
        return event.migreplaysafe
    return event.migorigin in (None, NATIVE)
