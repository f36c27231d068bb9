"""What was published to Kafka, and what a run would publish there."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from cutline.api.moment import moment_text
from cutline.control import Control, LedgerEntry, RunRecord
from cutline.display import ResultList
from cutline.errors import ConfigurationError
from cutline.project import LoadedProject
from cutline.project.topics import KafkaTopicsSection
from cutline.secrets import document_as_written


@dataclass(frozen=True)
class Publication:
    """What one run published to one partition of a topic; see `cutline.control`.

    `first_offset` and `last_offset` are those of the run's own records, `begins` and `ends` the
    partition's ends before and after. All but `begins` are None until what was sent was read back
    from the topic and compared, at `read_back_at`. Times are UTC.
    """

    run_id: str
    context: str
    region: str
    topic: str
    partition: int
    begins: int
    ends: int | None
    first_offset: int | None
    last_offset: int | None
    records: int | None
    bytes: int | None
    digest: str | None
    standing: int
    differing: int
    withdrawn: int
    begun_at: dt.datetime
    read_back_at: dt.datetime | None

    @document_as_written
    def as_json(self) -> dict[str, Any]:
        """An object of `cutline publications --json`."""
        times = {
            "begun_at": moment_text(self.begun_at),
            "read_back_at": moment_text(self.read_back_at),
        }
        return {"slice" if n == "region" else n: v for n, v in asdict(self).items()} | times


@dataclass(frozen=True)
class PlannedPublication:
    """What a run would send to one partition of a topic; nothing was sent.

    `topic_is` says whether the topic is there or to be made. Of `records`, with `bytes` of keys,
    headers and values, none
    is on the topic yet; `standing` are, `differing` of these say something else by now, and
    `withdrawn` events are there that the run does not have.
    """

    run_id: str
    topic: str
    partition: int
    topic_is: str
    records: int
    bytes: int
    standing: int
    differing: int
    withdrawn: int

    @document_as_written
    def as_json(self) -> dict[str, Any]:
        """An object of `cutline publications --dry-run --json`."""
        return asdict(self)


def list_publications(
    control: Control, contexts: Iterable[str], region: str | None
) -> ResultList[Publication]:
    """The ledger of contexts, of one region if it is given."""
    return ResultList(
        _publication(context, entry)
        for context in contexts
        for entry in control.publications(context, region)
    )


def planned_publications(
    project: LoadedProject, record: RunRecord
) -> ResultList[PlannedPublication]:
    """What a recorded run would send now, topic by topic and partition by partition.

    ConfigurationError if its topics are files, if its gates have not spoken, or if a topic is not
    as it must be.
    """
    section = project.file.topics
    if not isinstance(section, KafkaTopicsSection):
        raise ConfigurationError(
            "topics.kind is files: what a run sends is written there as it is, whenever it runs",
            next_step="Look at it in the folder that `topics.path` names.",
        )
    if record.decision is None:
        raise ConfigurationError(
            f"run {record.run_id} has no decision yet, and what it would publish depends on it",
            next_step=f"cutline run {record.context} --region {record.region} --stage reconcile",
        )
    from cutline.run.past import workspace_as_recorded
    from cutline.stages.publish import publish
    from cutline.topics.choice import kafka_topics
    from cutline.topics.kafka.preview import KafkaPreview

    workspace = workspace_as_recorded(project, record)
    preview = KafkaPreview(kafka_topics(workspace, section))
    publish(workspace, go=record.decision == "go", topics=preview)
    return ResultList(
        PlannedPublication(
            record.run_id,
            part.topic,
            part.partition,
            "there" if part.exists else "to be made",
            part.records,
            part.bytes,
            part.standing,
            part.differing,
            part.withdrawn,
        )
        for part in sorted(preview.planned, key=lambda p: (p.topic, p.partition))
    )


def _publication(context: str, entry: LedgerEntry) -> Publication:
    published = asdict(entry.published)
    published["first_offset"] = published.pop("first")
    published["last_offset"] = published.pop("last")
    return Publication(
        context=context,
        region=entry.region,
        begun_at=entry.begun_at,
        read_back_at=entry.read_back_at,
        **published,
    )
