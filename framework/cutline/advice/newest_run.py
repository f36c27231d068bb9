"""What the newest complete run of a slice measured, as the control database has it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cutline.advice.situation import RecordSizes
from cutline.control import Control, Evidence, LedgerEntry, RunRecord, newest_complete
from cutline.project.loaded import LoadedProject
from cutline.readiness.gates.rehearsed import measured
from cutline.results import (
    EXTRACT,
    ExtractResult,
    MergeResult,
    ReportResult,
    TranslateResult,
)
from cutline.run.past import lake_of
from cutline.tables.disposition import ALL, EXCEPTIONAL
from cutline.tables.event import EXTRACT as OF_EXTRACT
from cutline.tables.event import NATIVE
from cutline.tables.timeline import TIMELINE
from cutline.topics.names import is_history, is_state

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

UNMAPPED = "unmapped:"
"""How the rules begin by which a row has no meaning."""


@dataclass(frozen=True)
class MeasuredRun:
    """A complete run, and what its stages counted; null is what they did not.

    `whole` is the run over everything that it goes on from, itself where it goes on from none;
    `reading_seconds` is what reading everything took.
    """

    record: RunRecord
    whole: RunRecord
    reading_seconds: float | None

    @property
    def rows(self) -> dict[str, int] | None:
        """The rows that were read, by source and table."""
        extract = self.record.result_of(ExtractResult)
        if extract is None:
            return None
        return {
            f"{source}.{table}": rows
            for source, read in extract.extracts.items()
            for table, rows in read.tables.items()
        }

    @property
    def ends(self) -> dict[str, int] | None:
        """How many rows have which end."""
        ends = self.record.book("dispositions")
        return {name: ends.get(name, 0) for name in ALL} if ends else None

    @property
    def unmapped(self) -> int | None:
        """The rows of which no rule says what they mean."""
        merged = self.record.result_of(MergeResult)
        if merged is None or "exceptions" not in merged.counts:
            return None
        exceptions = merged.counts["exceptions"]
        return sum(n for rule, n in exceptions.items() if rule.startswith(UNMAPPED))

    @property
    def exceptional(self) -> int | None:
        """The rows that a person must look at for another reason."""
        if self.ends is None or self.unmapped is None:
            return None
        return max(0, sum(self.ends[name] for name in EXCEPTIONAL) - self.unmapped)

    @property
    def times(self) -> dict[str, int] | None:
        """How many events have a time of which worth (see `cutline.stages.times`)."""
        translated = self.record.result_of(TranslateResult)
        if translated is None:
            return None
        total: dict[str, int] = {}
        for counts in translated.times.values():
            for label, number in counts.items():
                total[label] = total.get(label, 0) + number
        return total

    @property
    def timeless(self) -> float | None:
        """The share of events that know no other time than that of the extract; null where there
        is no event."""
        times = self.times
        return _share(times.get(OF_EXTRACT, 0), sum(times.values())) if times else None

    @property
    def findings(self) -> int | None:
        """Departures of events from the order that is expected, and of rows from their
        lifecycle."""
        merged = self.record.result_of(MergeResult)
        if merged is None or "findings" not in merged.counts:
            return None
        return sum(merged.counts["findings"].values())

    @property
    def events(self) -> int | None:
        """The events of the timeline."""
        merged = self.record.result_of(MergeResult)
        return None if merged is None else merged.rows_out

    @property
    def disordered(self) -> float | None:
        """Findings for each event, at most 1; null where there is no event."""
        if self.findings is None or not self.events:
            return None
        return min(1.0, self.findings / self.events)

    @property
    def subjects(self) -> int | None:
        """The subjects that have a state."""
        subjects = self.record.book("subjects")
        return sum(subjects.values()) if subjects else None

    @property
    def seconds(self) -> float | None:
        """What a run over everything took, with the reading where that was another run's; null
        where it is not told."""
        times = [stage.seconds for stage in self.whole.stages if stage.name != EXTRACT]
        if self.reading_seconds is None or any(seconds is None for seconds in times):
            return None
        return self.reading_seconds + sum(seconds or 0 for seconds in times)

    @property
    def published(self) -> bool:
        """Whether the run over everything sent what it had."""
        reported = self.whole.result_of(ReportResult)
        return reported is not None and any(map(is_history, reported.published))


def measured_run(control: Control, context: str, region: str) -> MeasuredRun | None:
    """The newest complete run of a slice; null without one."""
    records = control.runs(context, region)
    newest = newest_complete(records)
    if newest is None:
        return None
    by_id = {record.run_id: record for record in records}
    whole = _followed(newest, by_id, lambda extract: extract.advanced_from)
    read = _followed(whole, by_id, lambda extract: extract.taken_from)
    reader = read.result_of(ExtractResult)
    is_whole = reader is not None and not (reader.taken_from or reader.advanced_from)
    stage = next((s for s in read.stages if s.name == EXTRACT), None)
    return MeasuredRun(newest, whole, stage.seconds if stage and is_whole else None)


def _followed(
    record: RunRecord,
    by_id: Mapping[str, RunRecord],
    before: Callable[[ExtractResult], str | None],
) -> RunRecord:
    """The run that a run rests on, that one's, and so on, to the last that is recorded."""
    for _ in by_id:
        extract = record.result_of(ExtractResult)
        name = None if extract is None else before(extract)
        if name is None or name not in by_id:
            break
        record = by_id[name]
    return record


def oldest_fact(
    spark: SparkSession, project: LoadedProject, record: RunRecord
) -> dt.datetime | None:
    """The moment of the oldest event of a run's timeline that came from the legacy and knows when
    it happened, in UTC; null without any. RunFailed if the table is not what its stage wrote."""
    from pyspark.sql import functions as F

    timeline = lake_of(project, record).read(spark, TIMELINE)
    is_dated = (F.col("migorigin") != NATIVE) & (F.col("migtimebasis") != OF_EXTRACT)
    [row] = timeline.where(is_dated).agg(F.unix_micros(F.min("time")).alias("micros")).collect()
    if row["micros"] is None:
        return None
    return dt.datetime(1970, 1, 1, tzinfo=dt.UTC) + dt.timedelta(microseconds=row["micros"])


def rehearsed_sizes(evidence: Evidence) -> RecordSizes | None:
    """What a rehearsal measured of records; null if it did not come so far."""
    volume = measured(evidence, "storage")
    if volume is None or not volume.get("events") or not volume.get("states"):
        return None
    return RecordSizes(
        volume["event_bytes"] / volume["events"],
        volume["state_bytes"] / volume["states"],
        volume["records_per_second"],
    )


def published_sizes(entries: Sequence[LedgerEntry], run_id: str) -> RecordSizes | None:
    """What the ledger of publications says of the records that a run sent to Kafka; null where it
    sent no events or no states."""
    ours = [entry for entry in entries if entry.published.run_id == run_id]
    events = _mean_bytes([entry for entry in ours if is_history(entry.published.topic)])
    states = _mean_bytes([entry for entry in ours if is_state(entry.published.topic)])
    ends = [entry.read_back_at for entry in ours if entry.read_back_at is not None]
    if events is None or states is None or not ends:
        return None
    seconds = (max(ends) - min(entry.begun_at for entry in ours)).total_seconds()
    records = sum(entry.published.records or 0 for entry in ours)
    return RecordSizes(events, states, records / max(seconds, 0.001))


def _mean_bytes(entries: Sequence[LedgerEntry]) -> float | None:
    records = sum(entry.published.records or 0 for entry in entries)
    size = sum(entry.published.bytes or 0 for entry in entries)
    return size / records if records else None


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
