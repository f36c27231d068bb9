"""The topics of a release: its history and states, under its name, read back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from cutline.control import Control, RunRecord
from cutline.control.rollouts import Release
from cutline.errors import RunFailed
from cutline.project.topics import FileTopicsSection
from cutline.quotas import declared_quotas, limited, slice_job
from cutline.rollout.positions import records_in_files
from cutline.rollout.work import RolloutWork
from cutline.run.past import workspace_as_recorded
from cutline.stages.publish import publish_release
from cutline.topics.catalog import Ends, topic_catalog
from cutline.topics.choice import topics_of
from cutline.topics.names import EventTopics, release_topics, topics_by_release


def publish_topics(work: RolloutWork, record: RunRecord, number: int) -> Ends:
    """Send the history and the states of a run to topics of a release, which are made anew; where
    each of them ends.

    No ledger has it, for it is no publication of the run. RunFailed if the topics do not hold what
    was sent.
    """
    lease = work.lease
    assert lease is not None
    topics, catalog = _topics(work, number), topic_catalog(work.project)
    confirm = partial(work.control.confirm, lease)
    # What stands there is of a plan that was taken back, or of an attempt that was killed.
    standing = topics.among(catalog.topics())
    confirm()
    catalog.remove(standing)
    recorded = workspace_as_recorded(work.project, record)
    lake = replace(recorded.lake, attempt=str(lease.epoch), check_lease=confirm)
    workspace = replace(recorded, lake=lake, epoch=lease.epoch)
    quotas = declared_quotas(work.project, slice_job(work.project, work.context, work.region))
    with limited(work.project, work.control, quotas, work.say):
        sent = publish_release(workspace, topics_of(workspace, topics.progress), topics)
    _refuse_other_counts(work, sent)
    return catalog.ends(list(sent))


def drop_topics(work: RolloutWork, keep: int | None) -> list[str]:
    """Remove the topics of all releases of the slice but one; their names.

    SliceBusy or RunFailed, and none is removed, where another process has the slice by now.
    """
    assert work.lease is not None
    catalog = topic_catalog(work.project)
    prefix = work.project.file.topics.prefix
    by_release = topics_by_release(prefix, work.context, work.region, catalog.topics())
    dropped = [topic for number, topics in by_release.items() if number != keep for topic in topics]
    work.control.confirm(work.lease)
    catalog.remove(dropped)
    return dropped


def has_topics(work: RolloutWork, release: Release) -> bool:
    """Whether a release was recorded with topics of its own."""
    return bool(_topics(work, release.release).among(release.positions))


def may_have_topics(control: Control, context: str, region: str) -> bool:
    """Whether topics of a release of the slice were ever begun: they may stand there also where no
    release was recorded with them, as the plan was taken back."""
    ledger = control.rollout_ledger(context, region)
    return any(line.step == "publish-release" for line in ledger)


def changed_topics(work: RolloutWork, release: Release) -> list[str]:
    """A sentence for each topic of a release that does not end where it did when the release was
    recorded."""
    topics = _topics(work, release.release).among(release.positions)
    ends = topic_catalog(work.project).ends(topics)
    return [
        f"topic {topic} is gone"
        if topic not in ends
        else f"topic {topic} holds other records than the release"
        for topic in topics
        if ends.get(topic) != release.positions[topic]
    ]


def _topics(work: RolloutWork, number: int) -> EventTopics:
    prefix = work.project.file.topics.prefix
    return release_topics(prefix, work.context, number, work.region)


def _refuse_other_counts(work: RolloutWork, sent: Mapping[str, int]) -> None:
    """Of topics in files, which nobody else has read back."""
    section = work.project.file.topics
    if not isinstance(section, FileTopicsSection):
        return
    root = Path(work.project.path(section.path))
    for topic, count in sorted(sent.items()):
        if (records := records_in_files(root, topic)) != count:
            raise RunFailed(
                f"topic {topic} holds {records:,} records, and {count:,} were sent",
                left_behind="No release has it.",
                next_step="See who else writes there.",
            )
