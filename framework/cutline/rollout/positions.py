"""Where in its topics the history of a run ends: what a release tells its readers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from cutline.control import RunRecord
from cutline.project.topics import FileTopicsSection
from cutline.results import ReportResult
from cutline.rollout.work import RolloutWork
from cutline.topics import names
from cutline.topics.catalog import topic_catalog
from cutline.topics.partition_file import partition_files


def history_positions(work: RolloutWork, run_id: str) -> Mapping[str, Mapping[str, int]]:
    """By topic of history and partition, the offset behind the last record of it.

    On Kafka as the run's publication was read back, in files as they stand now.
    """
    topics = _history_topics(work)
    if isinstance(work.project.file.topics, FileTopicsSection):
        return {topic: {} for topic in topics} | dict(topic_catalog(work.project).ends(topics))
    positions: dict[str, dict[str, int]] = {topic: {} for topic in topics}
    for entry in work.control.publications(work.context, work.region):
        part = entry.published
        if part.run_id == run_id and part.topic in positions and part.ends is not None:
            positions[part.topic][str(part.partition)] = part.ends
    return positions


def is_published(work: RolloutWork, record: RunRecord) -> tuple[bool, str]:
    """Whether all that a run published was read back, and in words what was looked at.

    Of topics in files, which have no ledger, whether their history holds as many records as the
    run published, at least.
    """
    section, run_id = work.project.file.topics, record.run_id
    if isinstance(section, FileTopicsSection):
        reported = record.result_of(ReportResult)
        published = {} if reported is None else reported.published
        topics = _history_topics(work)
        wanted = {topic: count for topic, count in published.items() if topic in topics}
        return _is_in_files(Path(work.project.path(section.path)), wanted)
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


def _is_in_files(root: Path, wanted: Mapping[str, int]) -> tuple[bool, str]:
    for topic, count in sorted(wanted.items()):
        if (records := records_in_files(root, topic)) < count:
            return False, f"{topic} holds {records:,} records, of {count:,} that the run published"
    total = sum(wanted.values())
    return True, f"topics are files: {total:,} records of {len(wanted)} topics are there"
