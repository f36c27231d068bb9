"""One transaction of the feed of a version: some records, and what they make of it."""

from __future__ import annotations

import contextlib
import dataclasses
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cutline.feed.admission import Admission, Gate, events_and_records, named_subjects
from cutline.feed.keepable import keepable
from cutline.feed.offered import (
    OfferedEvent,
    UnreadableRecord,
    first_of_epochs,
    offered_of,
    records_of_texts,
)
from cutline.feed.tail import MOST_RECORDS, PartitionEnds, TailPart, TopicTail, positions_of
from cutline.feed.touched import (
    LiveVerdict,
    TouchedSubjects,
    has_live_events_of_later,
    touched_subjects,
)
from cutline.lake.places import place_of
from cutline.readmodels import (
    AsideRecord,
    EpochRise,
    FedPartition,
    FeedBatch,
    FeedState,
    LiveEvent,
    Place,
    ReadModel,
    ReadModelVersion,
    SeenEpochs,
    Subject,
)
from cutline.readmodels.lines import NO_VALUE, fed_line
from cutline.stages.required_epochs import required_behind
from cutline.tables.verdict import ACCEPTED

if TYPE_CHECKING:
    from cutline.control import RunRecord, Tenure
    from cutline.workspace import Workspace


@dataclass(frozen=True)
class CycleDone:
    """What one transaction came to: how many records were read, `events` are new to the version,
    `rows` were written and subjects `ended`, how many records were put aside, and how many are
    left."""

    records: int = 0
    events: int = 0
    rows: int = 0
    ended: int = 0
    aside: int = 0
    left: int = 0

    def __add__(self, later: CycleDone) -> CycleDone:
        return CycleDone(
            self.records + later.records,
            self.events + later.events,
            self.rows + later.rows,
            self.ended + later.ended,
            self.aside + later.aside,
            later.left,
        )


@dataclass
class _Rows:
    """What becomes of the rows of a version, by aggregate."""

    rows: dict[str, list[bytes]] = field(default_factory=dict)
    restored: dict[str, list[bytes]] = field(default_factory=dict)
    ended: dict[str, dict[str, str]] = field(default_factory=dict)
    retracted: dict[str, dict[str, str]] = field(default_factory=dict)
    events: list[LiveEvent] = field(default_factory=list)
    new: int = 0
    """How many of the events are new to the version."""
    aside: list[AsideRecord] = field(default_factory=list)


@dataclass(frozen=True)
class VersionFeed:
    """The feed of one version of a read model, with the history of the run of the workspace.

    The version was built of that run's states, or of rows that were compared with them. Live events
    of an aggregate that it has no table of are passed over. `place_again` are the commands that
    build it anew.
    """

    workspace: Workspace
    record: RunRecord
    read_model: ReadModel
    version: ReadModelVersion
    tail: TopicTail
    place_again: str

    def next(self, read_tenures: Callable[[], Sequence[Tenure]]) -> CycleDone:
        """Apply what comes next, in one transaction.

        `read_tenures` answers, from the ledger as it is, who wrote under which epoch of the slice;
        none where its rollout was never opened. It is asked when it stands how far the topics are
        read: so the ledger has every epoch of these records, and every end that they lie behind.
        `left` is 0 where nothing more was there.
        """
        state = self.read_model.feed_state(self.version.version)
        ends = self.tail.ends()
        tenures = read_tenures()
        epochs = self.read_model.seen_epochs()
        fed = positions_of(self._fed(state), ends, self.place_again)
        due = self.read_model.due_records(self.version.version, MOST_RECORDS)
        starts = {place: partition.position for place, partition in fed.items()}
        part = self.tail.part(starts, ends, MOST_RECORDS)
        unseen = self._unseen(fed, ends, epochs) if state is None else {}
        with self._scratch(needed=bool(part.count or due or unseen)) as scratch:
            events, unreadable = self._offered(part, due, scratch)
            rises = self._rises_before(fed, unseen, tenures, scratch)
            epochs = dataclasses.replace(epochs, rises=(*epochs.rises, *rises))
            fed = {place: _with_epoch(place, partition, epochs) for place, partition in fed.items()}
            holding = self.read_model.holding_records(self.version.version, named_subjects(events))
            topic_ids = {place: partition.topic_id for place, partition in fed.items()}
            places = [event.place for event in events] + [record.place for record in unreadable]
            rulings = self.read_model.rulings(topic_ids, places)
            required = required_behind(self.workspace, tenures)
            gate = Gate(fed, due, holding, self.tail.aggregates, tenures, rulings, required)
            gate.admit(events, unreadable)
            admission = gate.result(part.after)
            written = self._written(admission, scratch) if admission.events else _Rows()
        left = part.left + (len(due) == MOST_RECORDS)
        batch = FeedBatch(
            turn=0 if state is None else state.turn,
            run_id=self.version.run_id,
            history=self.record.run_id,
            rows=written.rows,
            restored=written.restored,
            ended=written.ended,
            retracted=written.retracted,
            events=written.events,
            aside=(*admission.aside, *written.aside),
            settled=admission.settled,
            partitions=admission.partitions,
            rises=(*rises, *admission.rises),
            rulings=rulings,
            behind=left,
        )
        self.read_model.feed(self.version.version, batch)
        return CycleDone(
            records=part.count,
            events=written.new,
            rows=sum(map(len, written.rows.values())),
            ended=sum(map(len, written.ended.values())),
            aside=len(batch.aside),
            left=left,
        )

    def _fed(self, state: FeedState | None) -> Mapping[Place, FedPartition]:
        """How far the version is fed; at first as far as its run read, of the topics of then.

        Where the run read live events that it left for later, it begins where the run began.
        """
        if state is not None:
            return state.partitions
        starts = self.tail.starts(self.record)
        whole = any(read.end > read.first for read in starts.values()) and has_live_events_of_later(
            self.workspace
        )
        return {
            place: FedPartition(read.topic_id, read.first if whole else read.end, read.end)
            for place, read in starts.items()
        }

    def _unseen(
        self,
        fed: Mapping[Place, FedPartition],
        ends: Mapping[Place, PartitionEnds],
        epochs: SeenEpochs,
    ) -> dict[Place, PartitionEnds]:
        """What the run read, and no feed has looked at, before where the version begins."""
        unseen: dict[Place, PartitionEnds] = {}
        for place, read in self.tail.starts(self.record).items():
            if (begins := fed.get(place)) is not None and read.topic_id == begins.topic_id:
                until = epochs.until.get((place, begins.topic_id), 0)
                first = max(read.first, ends[place].first, until)
                if first < begins.position:
                    unseen[place] = PartitionEnds(begins.topic_id, first, begins.position)
        return unseen

    def _rises_before(
        self,
        fed: Mapping[Place, FedPartition],
        unseen: Mapping[Place, PartitionEnds],
        tenures: Sequence[Tenure],
        scratch: str,
    ) -> list[EpochRise]:
        """Where epochs of the slice came in what no feed has looked at."""
        if not unseen or not tenures:
            return []
        ends = {
            place: unseen.get(place, PartitionEnds(at.topic_id, at.position, at.position))
            for place, at in fed.items()
        }
        starts: Mapping[Place, int] = {place: end.first for place, end in ends.items()}
        rises: list[EpochRise] = []
        left, number = 1, 0
        while left:
            part = self.tail.part(starts, ends, MOST_RECORDS)
            if part.count:
                frame = self.tail.records(self.workspace.spark, part, f"{scratch}/before-{number}")
                first = first_of_epochs(
                    frame,
                    self.workspace.context,
                    self._region,
                    self.workspace.region,
                    tenures[-1].epoch,
                )
                rises += [
                    EpochRise(*place, ends[place].topic_id, position, epoch)
                    for place, position, epoch in first
                ]
            starts, left, number = part.after, part.left, number + 1
        return rises

    @property
    def _region(self) -> str | None:
        """The region whose events are of the slice; None where all are."""
        name = self.workspace.region
        return None if self.workspace.project.file.regions[name].everything else name

    def _offered(
        self, part: TailPart, due: Sequence[AsideRecord], scratch: str
    ) -> tuple[list[OfferedEvent], list[UnreadableRecord]]:
        """The events, and the records that are none, of what came and of what is due again."""
        events, records = events_and_records(due)
        unreadable: list[UnreadableRecord] = []
        frames = []
        if records:
            frames.append(
                records_of_texts(self.workspace.spark, [record.record for record in records])
            )
        if part.count:
            frames.append(self.tail.records(self.workspace.spark, part, f"{scratch}/records"))
        for frame in frames:
            offered = offered_of(frame, self.workspace.context, self._region, self.workspace.region)
            events += offered[0]
            unreadable += offered[1]
        return events, unreadable

    def _written(self, admission: Admission, scratch: str) -> _Rows:
        number = self.version.version
        columns = {table.aggregate: table.columns for table in self.version.tables}
        events = [event for event in admission.events if event.aggregate in columns]
        of_subjects = {event.of for event in events}
        standing = {e.identity: e for e in self.read_model.live_events(number, of_subjects)}
        new: dict[str, OfferedEvent] = {}
        for event in events:
            if event.identity not in standing:
                new.setdefault(event.identity, event)
        if not new:
            return _Rows()

        def project(some: Sequence[OfferedEvent]) -> TouchedSubjects:
            texts: dict[Subject, list[str]] = {}
            for offered in some:
                texts.setdefault(offered.of, []).append(offered.event)
            for earlier in standing.values():
                if (earlier.aggregate, earlier.subject) in texts:
                    texts[earlier.aggregate, earlier.subject].append(earlier.event)
            return touched_subjects(self.workspace, texts, columns, scratch)

        touched, aside = keepable(new.values(), project)
        written = _rows_of(touched, new, standing)
        written.aside = aside
        return written

    @contextlib.contextmanager
    def _scratch(self, *, needed: bool) -> Iterator[str]:
        """A folder beside the runs' for files that must be there meanwhile."""
        path = f"{self.workspace.project.lake}/_feed/{uuid.uuid4().hex}"
        try:
            yield path
        finally:
            if needed:
                place_of(self.workspace.spark, path).delete()


def _with_epoch(place: Place, fed: FedPartition, epochs: SeenEpochs) -> FedPartition:
    """The partition with what is known of epochs before where it is fed up to."""
    epoch = epochs.before(place, fed.topic_id, fed.position)
    return dataclasses.replace(fed, epoch=max(fed.epoch, epoch))


def _rows_of(
    touched: TouchedSubjects,
    new: Mapping[str, OfferedEvent],
    standing: Mapping[str, LiveEvent],
) -> _Rows:
    verdicts: dict[Subject, list[LiveVerdict]] = {}
    for verdict in touched.verdicts:
        verdicts.setdefault(verdict.of, []).append(verdict)
    written = _Rows()
    for of, live in verdicts.items():
        aggregate, subject = of
        values = touched.states.get(of)
        if of in touched.uncomputable or (values is not None and NO_VALUE in values):
            continue
        accepted = [v for v in live if v.verdict == ACCEPTED]
        last = max(accepted or live, key=lambda v: (v.ordinal or 0, v.id))
        if values is None:
            # A row that no live event wrote is not of this history where no event of it counts.
            ends = written.ended if accepted else written.retracted
            ends.setdefault(aggregate, {})[subject] = last.id
        else:
            lines = written.rows if accepted else written.restored
            lines.setdefault(aggregate, []).append(fed_line(values, last.id))
        written.new += sum(v.identity in new for v in live)
        for v in live:
            event = new[v.identity] if v.identity in new else standing[v.identity]
            written.events.append(LiveEvent(*of, v.identity, v.verdict, v.rule, event.event))
    return written
