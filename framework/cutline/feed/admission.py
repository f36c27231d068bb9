"""Which live events go on to their subjects, and which records are put aside, each for a rule."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cutline.consumer.epochs import epoch_after
from cutline.control import Tenure
from cutline.control.plan import LiveEnds
from cutline.control.tenures import authority_of_late, is_behind, writer_under
from cutline.feed.offered import OfferedEvent, UnreadableRecord
from cutline.readmodels import (
    DISCARDED,
    MISSING_EPOCH,
    OLDER_EPOCH,
    PARKED,
    UNAUTHORISED_EPOCH,
    UNISSUED_EPOCH,
    UNREADABLE_EPOCH,
    WAITS,
    AsideRecord,
    EpochRise,
    FedPartition,
    Place,
    Record,
    Subject,
)

NO_VALUE_RULE = "value-no-database-keeps"
"""The rule of an event that puts into a state what no database keeps."""
UNCOMPUTABLE_RULE = "state-not-computable"
"""The rule of an event behind which a column of its subject's state cannot be computed."""

_OF_EVENTS = (*PARKED, WAITS, UNREADABLE_EPOCH, NO_VALUE_RULE, UNCOMPUTABLE_RULE)
"""The rules for which an event that could be read is put aside."""
_Holder = tuple[Place, str | None, str]
"""A partition, an aggregate and a subject as records name it."""


_DIGITS = 18
"""The most digits of an epoch: a database keeps it as a whole number of 64 bits."""


@dataclass(frozen=True)
class Admission:
    """What came of some records: the events that go on, what is put aside anew, the places of what
    is put aside no more, how far each partition is, and which records raised an epoch."""

    events: Sequence[OfferedEvent]
    aside: Sequence[AsideRecord]
    settled: Sequence[Record]
    partitions: Mapping[Place, FedPartition]
    rises: Sequence[EpochRise]


class Gate:
    """Decides about records in the order of their places.

    `due` are records that were put aside and are decided about again, `holding` those that hold
    what comes behind them. `aggregates` has by topic the aggregate that it is of. `tenures` say who
    wrote under which epoch of the slice; where there are none no epoch was ever issued, and none is
    looked at. `rulings` is what people decided of records, of whatever version: one that they gave
    up is passed over, and one that they admitted is no more held against its epoch. Behind
    `required_behind`, where it is not null, each event must carry an epoch.
    """

    def __init__(
        self,
        partitions: Mapping[Place, FedPartition],
        due: Sequence[AsideRecord],
        holding: Sequence[AsideRecord],
        aggregates: Mapping[str, str],
        tenures: Sequence[Tenure],
        rulings: Mapping[Record, str],
        required_behind: LiveEnds | None = None,
    ) -> None:
        self._partitions = dict(partitions)
        self._aggregates, self._tenures = aggregates, tenures
        self._required_behind = required_behind
        self._due = {record.place for record in due}
        self._rulings = rulings
        self._rises: list[EpochRise] = []
        self._holds: dict[_Holder, int] = {}
        for record in holding:
            self._hold(record.place, record.aggregate, record.subject)
        self._events: list[OfferedEvent] = []
        self._aside: list[AsideRecord] = []
        self._settled: list[Record] = []

    def admit(self, events: Sequence[OfferedEvent], unreadable: Sequence[UnreadableRecord]) -> None:
        """Decide about records that were read, those that were put aside among them."""
        records: list[OfferedEvent | UnreadableRecord] = [*events, *unreadable]
        for record in sorted(records, key=lambda record: record.place):
            if self._rulings.get(record.place) == DISCARDED:
                if record.place in self._due:
                    # It was admitted before, or waits: nobody could decide about it here any more.
                    self._settled.append(record.place)
                continue
            if isinstance(record, UnreadableRecord):
                self._unreadable(record)
            elif self._goes_on(record):
                self._events.append(record)
                if record.place in self._due:
                    self._settled.append(record.place)

    def result(self, after: Mapping[Place, int]) -> Admission:
        """What was decided; `after` has by partition the position behind what was read."""
        partitions = {
            place: dataclasses.replace(fed, position=after.get(place, fed.position))
            for place, fed in self._partitions.items()
        }
        return Admission(self._events, self._aside, self._settled, partitions, self._rises)

    def _unreadable(self, record: UnreadableRecord) -> None:
        topic, partition, position = record.place
        aggregate = record.aggregate or self._aggregates[topic]
        is_of_history = position < self._partitions[topic, partition].history_end
        # What the run could not read either is among its exceptions.
        if not is_of_history or record.place in self._due:
            self._put_aside(
                AsideRecord(
                    *record.place,
                    record.rule,
                    record.reason,
                    aggregate,
                    record.named_subject,
                    record.record,
                )
            )
            self._hold(record.place, aggregate, record.named_subject)

    def _goes_on(self, event: OfferedEvent) -> bool:
        is_new = event.place not in self._due and event.place not in self._rulings
        if is_new and (fault := self._epoch_fault(event)) is not None:
            rule, reason = fault
            self._put_aside(event_aside(event, rule, reason))
            if rule == UNREADABLE_EPOCH:
                self._hold(event.place, event.aggregate, event.named_subject)
            return False
        first = self._holds.get(event.holder)
        if first is not None and first < event.position:
            self._put_aside(waits_behind(event, first))
            return False
        return True

    def _epoch_fault(self, event: OfferedEvent) -> tuple[str, str] | None:
        """The rule for which an event is put aside, and the reason; None where it is not."""
        topic, partition, _ = event.place
        if (
            self._required_behind is not None
            and not event.has_epoch
            and is_behind(self._required_behind, topic, partition, event.offset)
        ):
            return MISSING_EPOCH, "it carries no epoch, and the new side wrote before it"
        if event.epoch is None or not self._tenures:
            return None
        if not (event.epoch.isascii() and event.epoch.isdigit() and len(event.epoch) <= _DIGITS):
            return UNREADABLE_EPOCH, "its ce_migepoch is no whole number"
        fed = self._partitions[topic, partition]
        epoch = int(event.epoch)
        writer = writer_under(self._tenures, epoch)
        if writer is None:
            now = self._tenures[-1].epoch
            return UNISSUED_EPOCH, f"epoch {epoch} was never issued: it is {now}"
        current, why = epoch_after(epoch, fed.epoch, None)
        if current > fed.epoch:
            self._rises.append(EpochRise(topic, partition, fed.topic_id, event.position, current))
            self._partitions[topic, partition] = dataclasses.replace(fed, epoch=current)
        if writer != "new":
            side = "the legacy" if writer == "legacy" else "nobody"
            return UNAUTHORISED_EPOCH, f"under epoch {epoch} {side} had the writes"
        late = authority_of_late(self._tenures, epoch, topic, partition, event.offset)
        if late is not None:
            return OLDER_EPOCH, (
                f"its epoch is {epoch}, and the legacy had the writes back when it came, under "
                f"epoch {late.epoch}"
            )
        if why is not None:
            return OLDER_EPOCH, f"its epoch is {epoch}, and {current} came before it"
        return None

    def _put_aside(self, record: AsideRecord) -> None:
        if record.place in self._due:
            # It is put aside anew, for the reason of now.
            self._settled.append(record.place)
        self._aside.append(record)

    def _hold(self, place: Record, aggregate: str | None, subject: str | None) -> None:
        if subject is not None:
            topic, partition, position = place
            holder = (topic, partition), aggregate, subject
            self._holds[holder] = min(position, self._holds.get(holder, position))


def event_aside(event: OfferedEvent, rule: str, reason: str) -> AsideRecord:
    """An event as it is put aside."""
    return AsideRecord(
        *event.place, rule, reason, event.aggregate, event.named_subject, event.text()
    )


def waits_behind(event: OfferedEvent, position: int) -> AsideRecord:
    """An event as it waits behind an earlier record of its partition."""
    earlier = f"{event.topic}/{event.partition}/{position}"
    return event_aside(event, WAITS, f"an earlier record of its subject is put aside: {earlier}")


def events_and_records(
    due: Sequence[AsideRecord],
) -> tuple[list[OfferedEvent], list[AsideRecord]]:
    """Of records that are decided about again, the events, and what must be read again first."""
    events = [OfferedEvent.read(r.record) for r in due if r.rule in _OF_EVENTS]
    return events, [record for record in due if record.rule not in _OF_EVENTS]


def named_subjects(
    events: Sequence[OfferedEvent],
) -> set[Subject]:
    """The subjects of events as their records name them."""
    return {(event.aggregate, event.named_subject) for event in events}
