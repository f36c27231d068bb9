"""The guard of epochs: an event that was written under an older authority acts on nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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
class WritesMoved:
    """One move of a slice's writes: under which epoch, to whom, and where the live topics ended
    then, by topic and partition; null where they did not answer."""

    epoch: int
    writes: str
    ends: Mapping[str, Mapping[str, int]] | None


@dataclass(frozen=True)
class SliceAuthority:
    """Who has the writes of a slice by the control database, as its row says it, and under which
    epoch; both are of one moment. `moves` are those of the writes until then, oldest first: without
    them no older epoch is known to be the new side's."""

    epoch: int
    writes: str
    moves: Sequence[WritesMoved] = ()

    def wrote_in_time(self, epoch: int, place: OffsetInTopic) -> bool:
        """Whether the new side had the writes under an older epoch, and what carries it was in its
        topic by the time when the legacy had them back; not where nobody knows."""
        begin = next((n for n, m in enumerate(self.moves) if m.epoch == epoch), None)
        if begin is None or self.moves[begin].writes != NEW_SIDE:
            return False
        later = self.moves[begin + 1 :]
        back = next((n for n, m in enumerate(later) if m.writes != NEW_SIDE), None)
        if back is None:
            # While they are on their way back nobody knows where that will end.
            return self.writes == NEW_SIDE
        # Where the topics did not answer then, nobody knows what came late.
        ends = later[back].ends or {}
        # A partition that was not there then had no record.
        end = ends[place.topic].get(str(place.partition), 0) if place.topic in ends else 0
        return place.offset < end


@dataclass(frozen=True)
class OffsetInTopic:
    """Where a record stands."""

    topic: str
    partition: int
    offset: int


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
    event_epoch: int,
    highest: int,
    authority: SliceAuthority | None,
    place: OffsetInTopic | None = None,
) -> tuple[int, str | None]:
    """The highest epoch of a partition after an event, and why the event is parked; null where it
    is not.

    `highest` is the highest epoch that came before it, 0 for none; `authority` is null where nobody
    asks the control database, `place` where it is not known. An epoch that was not issued raises
    nothing. One that is now, while the new side has not the writes, is of a writer that took what
    another one has; an older one counts where the new side wrote in time.
    """
    if event_epoch < highest:
        return highest, OLDER
    if authority is None:
        return event_epoch, None
    if event_epoch > authority.epoch:
        return highest, UNISSUED
    if event_epoch == authority.epoch:
        return event_epoch, None if authority.writes == NEW_SIDE else UNAUTHORISED
    is_in_time = place is not None and authority.wrote_in_time(event_epoch, place)
    return event_epoch, None if is_in_time else OLDER


class EpochGuard:
    """Keeps the highest epoch of each slice and partition in the service's database.

    Only within a partition does a lower epoch behind a higher one say that its writer was late:
    partitions are read one before the other, by a version that reads anew as by one that lags.
    """

    def __init__(self, owner: Owner, authority: AskAuthority | None = None) -> None:
        self._owner, self._authority = owner, authority

    def judge(
        self, connection: Connection, event: Envelope, place: SliceInPartition, offset: int
    ) -> SliceEpoch:
        """The verdict on an event that has an epoch; a higher one is kept from now on."""
        epoch, context, region = event.migepoch or 0, place.context, place.region
        of_record = OffsetInTopic(place.topic, place.partition, offset)
        highest = self._highest(connection, place)
        authority = self._authority and self._authority(context, region, False)
        current, reason = epoch_after(epoch, highest, authority, of_record)
        if reason == UNISSUED and self._authority:
            # What was read a moment ago may be older than the event.
            authority = self._authority(context, region, True)
            current, reason = epoch_after(epoch, highest, authority, of_record)
        if current > highest:
            self._keep(connection, place, current)
        against = max(current, authority.epoch if authority else 0)
        return SliceEpoch(context, region, against, reason)

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
