"""Where in its topics the history of a run ends: what a release tells its readers."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from pathlib import Path

from cutline.control import RunRecord
from cutline.project.topics import FileTopicsSection
from cutline.results import ReportResult
from cutline.rollout.work import RolloutWork
from cutline.topics import names
from cutline.topics.partition_file import PartitionFile, partition_files
from cutline.topics.record import RUN_HEADER


def history_positions(work: RolloutWork, run_id: str) -> Mapping[str, Mapping[str, int]]:
    """By topic of history and partition, the offset behind the last record of it.

    On Kafka as the run's publication was read back; in files behind the last line of the slice that
    no newer run of it put there.
    """
    topics = _history_topics(work)
    section = work.project.file.topics
    if isinstance(section, FileTopicsSection):
        root, newer = Path(work.project.path(section.path)), _newer_runs(work, run_id)
        return {
            topic: {
                str(part.number): max((o for o, _ in _history(work, part, newer)), default=-1) + 1
                for part in partition_files(root / topic)
            }
            for topic in topics
        }
    positions: dict[str, dict[str, int]] = {topic: {} for topic in topics}
    for entry in work.control.publications(work.context, work.region):
        part = entry.published
        if part.run_id == run_id and part.topic in positions and part.ends is not None:
            positions[part.topic][str(part.partition)] = part.ends
    return positions


def is_published(work: RolloutWork, record: RunRecord) -> tuple[bool, str]:
    """Whether all that a run published was read back, and in words what was looked at.

    Of topics in files, which have no ledger, whether the slice has as many events there as the run
    published, at least; what newer runs of it put there does not count.
    """
    section, run_id = work.project.file.topics, record.run_id
    if isinstance(section, FileTopicsSection):
        reported = record.result_of(ReportResult)
        published = {} if reported is None else reported.published
        topics = _history_topics(work)
        wanted = {topic: count for topic, count in published.items() if topic in topics}
        return _is_in_files(work, Path(work.project.path(section.path)), record, wanted)
    every = work.control.publications(work.context, work.region)
    entries = [e for e in every if e.published.run_id == run_id]
    open_ = [e.published for e in entries if e.read_back_at is None]
    if not entries:
        return False, f"run {run_id} published nothing"
    if open_:
        first = open_[0]
        return False, (
            f"{len(open_)} of {len(entries)} partitions are not read back, among them "
            f"{first.topic}/{first.partition}"
        )
    records = sum(e.published.records or 0 for e in entries)
    return True, f"{records:,} records in {len(entries)} partitions were read back and are equal"


def records_in_files(root: Path, topic: str) -> int:
    """How many records a topic in files holds."""
    return sum(1 for part in partition_files(root / topic) for _ in part.lines())


def _history_topics(work: RolloutWork) -> list[str]:
    prefix = work.project.file.topics.prefix
    aggregates = work.translation.context.aggregates
    return [names.synthetic(prefix, work.context, aggregate.name) for aggregate in aggregates]


def _newer_runs(work: RolloutWork, run_id: str) -> set[str]:
    """The runs of the slice that were begun after a run."""
    begun = work.run(run_id).created_at
    runs = work.control.runs(work.context, work.region)
    return {run.run_id for run in runs if run.created_at > begun}


def _history(
    work: RolloutWork, part: PartitionFile, newer: Container[str]
) -> Iterator[tuple[int, str]]:
    """Offset and id of each event of the slice in a partition that no newer run put there."""
    for offset, headers in part.records_with("ce_migregion", work.region):
        if headers.get(RUN_HEADER) not in newer:
            yield offset, str(headers.get("ce_id"))


def _is_in_files(
    work: RolloutWork, root: Path, record: RunRecord, wanted: Mapping[str, int]
) -> tuple[bool, str]:
    newer = _newer_runs(work, record.run_id)
    for topic, count in sorted(wanted.items()):
        parts = partition_files(root / topic)
        records = len({event for part in parts for _, event in _history(work, part, newer)})
        if records < count:
            return False, f"{topic} holds {records:,} records, of {count:,} that the run published"
    total = sum(wanted.values())
    return True, f"topics are files: {total:,} records of {len(wanted)} topics are there"
