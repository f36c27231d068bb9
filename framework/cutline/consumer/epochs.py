"""The guard of epochs: an event that was written under an older authority acts on nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass

from sqlalchemy import Connection, case, select

from cutline.consumer.envelope import Envelope
from cutline.consumer.store import Owner, upsert
from cutline.consumer.tables import EPOCHS

OLDER, UNISSUED, UNAUTHORISED = "older epoch", "epoch that was never issued", "unauthorised epoch"
MISSING = "no epoch"
NEW_SIDE = "new"
"""Who writes a slice, as the control database says it, while live events count."""


@dataclass(frozen=True)
class SliceAuthority:
    """Who has the writes of a slice by the control database, as its row says it, and under which
    epoch. Both are of one moment."""

    epoch: int
    writes: str


AskAuthority = Callable[[str, str, bool], SliceAuthority | None]
"""The authority of a slice (context, region) by the control database; null for one that it does not
know. The third argument asks for what stands there now, whatever was read before."""


@dataclass(frozen=True)
class SliceInPartition:
    """The slice of an event, and the partition that it came in."""

    context: str
    region: str
    topic: str
    partition: int


@dataclass(frozen=True)
class SliceEpoch:
    """The verdict on an event: its slice, the epoch that it is held against, and why it is parked;
    null if not."""

    context: str
    region: str
    epoch: int
    reason: str | None


def epoch_after(
    event_epoch: int, highest: int, authority: SliceAuthority | None
) -> tuple[int, str | None]:
    """The slice's epoch after an event, and why the event is parked; null where it is not.

    `highest` is the highest epoch that came in its partition, 0 for none; `authority` is null where
    nobody asks the control database. An epoch that it has not issued raises nothing. One that is
    now, while the new side has not the writes, is of a writer that took what another one has.
    """
    current = max(highest, authority.epoch if authority else 0)
    if event_epoch < current:
        return current, OLDER
    if authority is not None and event_epoch > authority.epoch:
        return current, UNISSUED
    if authority is not None and authority.writes != NEW_SIDE:
        return current, UNAUTHORISED
    return event_epoch, None


class EpochGuard:
    """Keeps the highest epoch of each slice and partition in the service's database.

    Only within a partition does a lower epoch behind a higher one say that its writer was late:
    partitions are read one before the other, by a version that reads anew as by one that lags.
    """

    def __init__(self, owner: Owner, authority: AskAuthority | None = None) -> None:
        self._owner, self._authority = owner, authority

    def judge(self, connection: Connection, event: Envelope, place: SliceInPartition) -> SliceEpoch:
        """The verdict on an event that has an epoch; a higher one is kept from now on."""
        epoch, context, region = event.migepoch or 0, place.context, place.region
        highest = self._highest(connection, place)
        authority = self._authority and self._authority(context, region, False)
        current, reason = epoch_after(epoch, highest, authority)
        if reason == UNISSUED and self._authority:
            # What was read a moment ago may be older than the event.
            authority = self._authority(context, region, True)
            current, reason = epoch_after(epoch, highest, authority)
        if current > highest:
            self._keep(connection, place, current)
        return SliceEpoch(context, region, current, reason)

    def _highest(self, connection: Connection, place: SliceInPartition) -> int:
        epoch = connection.execute(
            select(EPOCHS.c.epoch).where(
                self._owner.rows(EPOCHS),
                EPOCHS.c.context == place.context,
                EPOCHS.c.region == place.region,
                EPOCHS.c.topic == place.topic,
                EPOCHS.c.partition == place.partition,
            )
        ).scalar_one_or_none()
        return int(epoch or 0)

    def _keep(self, connection: Connection, place: SliceInPartition, epoch: int) -> None:
        upsert(
            connection,
            EPOCHS,
            self._owner.columns | asdict(place) | {"epoch": epoch},
            "epoch",
            lambda old, new: case((old > new, old), else_=new),
        )
