"""A resend, from who is asked for to what was read back."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F

from cutline.control import TOPIC_LEASES, Control, RunRecord
from cutline.errors import ConfigurationError, RunFailed
from cutline.lake.lake import Lake
from cutline.lake.places import place_of
from cutline.logs import logger
from cutline.project.loaded import LoadedProject
from cutline.project.replay import ReplayDestination
from cutline.quotas import declared_quotas, limited
from cutline.replay.destination import refuse_destination
from cutline.replay.request import NOTHING_SENT
from cutline.replay.sending import ReplaySender, ReplayTopics, replay_topics
from cutline.replay.shelf import KeptReplay, ReplayShelf, digest_of, kept_in
from cutline.resend.choosing import chosen_subjects
from cutline.resend.members import SENT, members_of
from cutline.resend.records import ORDER, history_records, state_records
from cutline.resend.request import ResendRequest
from cutline.run.past import lake_of, workspace_as_recorded
from cutline.tables import TIMELINE
from cutline.topics.headers import mapped_header

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from cutline.workspace import Workspace

_LOG = logger(__name__)
_MEMBERS = "members"
_WORK = "the resend"


@dataclass(frozen=True)
class ResendWork:
    """What a resend is done with: the run whose tables are sent is `record`. `say` tells people
    what is done."""

    project: LoadedProject
    control: Control
    record: RunRecord
    request: ResendRequest
    now: dt.datetime
    say: Callable[[str], None]


@dataclass(frozen=True)
class MemberCount:
    """How many subjects of an aggregate were asked for (or, where not `is_asked`, come along as
    wholes), and what becomes of them: sent, held, or without-history."""

    aggregate: str
    is_asked: bool
    fate: str
    subjects: int


@dataclass(frozen=True)
class ResendFigures:
    """What a resend came to: subjects, records by type, and by topic and partition what was read
    back."""

    members: tuple[MemberCount, ...]
    records: Mapping[str, int]
    topics: Mapping[str, Any]

    @classmethod
    def restored(cls, document: Mapping[str, Any]) -> ResendFigures:
        """Of a document as `asdict` gives it."""
        members = tuple(MemberCount(**count) for count in document["members"])
        return cls(members, document["records"], document["topics"])


@dataclass(frozen=True)
class ResendEnd:
    """How a resend of a run ended. `is_old` where it was complete before, `went_on` where an
    earlier attempt had begun it."""

    id: str
    run_id: str
    figures: ResendFigures
    is_old: bool = False
    went_on: bool = False


def perform_resend(work: ResendWork, *, again: bool = False) -> ResendEnd:
    """Send what is asked for, and read it back.

    The same request goes on where a killed one was, over the run that it was begun with; one that
    is complete over the run says so and sends nothing, unless it is to be sent `again`.
    """
    destination = _destination(work)
    shelf, topic = _shelf(work), work.request.destination
    with work.control.lease(TOPIC_LEASES, topic) as lease:
        earlier = shelf.newest()
        if _is_sent(work, earlier) and not again:
            assert earlier is not None
            return ResendEnd(earlier.id, _run_of(earlier), _figures(earlier), is_old=True)
        resend, went_on = _begun_or_next(work, shelf, earlier)
        workspace = _workspace(work, _run_of(resend))
        spark = workspace.spark
        lake = Lake(shelf.tables(resend.id), str(lease.epoch), lease.check)
        topics = _topics(work, lake, resend.id, lease.epoch)
        fields = {"resend": resend.id, "run": workspace.run_id, "topic": topic}
        with kept_in(spark, lake, _WORK):
            if not went_on:
                topics.refuse_consumers(topic, destination.groups)
                # Who is asked for must be there before anything is kept.
                chosen_subjects(workspace, work.request)
                shelf.keep(resend)
            _LOG.info("resend begun", extra=fields)
            members, counts = _members(workspace, work.request, lake)
            sent = _records(workspace, work.request, members, resend.id)
            records = _by_type(sent)
            quotas = declared_quotas(work.project, topic)
            with limited(work.project, work.control, quotas, work.say):
                work.say(f"sending {sum(records.values()):,} records to {topic}")
                figures = ResendFigures(counts, records, topics.send([topic], sent, ORDER))
        lease.check()
        shelf.keep(replace(resend, status="complete", figures=asdict(figures)))
        # Only now: an attempt that goes on sends to those that it finds there.
        lake.remove(spark)
        _LOG.info("resend done", extra=fields | {"records": sum(records.values())})
    return ResendEnd(resend.id, workspace.run_id, figures, went_on=went_on)


def plan_resend(work: ResendWork, *, again: bool = False) -> ResendEnd:
    """What a resend would send, or what it has sent; nothing is sent or kept."""
    destination = _destination(work)
    shelf, topic = _shelf(work), work.request.destination
    earlier = shelf.newest()
    if _is_sent(work, earlier) and not again:
        assert earlier is not None
        return ResendEnd(earlier.id, _run_of(earlier), _figures(earlier), is_old=True)
    resend, went_on = _begun_or_next(work, shelf, earlier)
    workspace = _workspace(work, _run_of(resend))
    spark = workspace.spark
    lake = Lake(shelf.tables(f"look-{uuid.uuid4().hex}"))
    _topics(work, lake, resend.id, 0).refuse_consumers(topic, destination.groups)
    try:
        with kept_in(spark, lake, _WORK):
            members, counts = _members(workspace, work.request, lake)
            records = _by_type(_records(workspace, work.request, members, resend.id))
    finally:
        lake.remove(spark)
        place_of(spark, shelf.folder).delete_empty()
    figures = ResendFigures(counts, records, {})
    return ResendEnd(resend.id, workspace.run_id, figures, went_on=went_on)


def _destination(work: ResendWork) -> ReplayDestination:
    """Where it goes; ConfigurationError for what is none, and what cannot be asked of it."""
    request, project = work.request, work.project
    key = f"resends.{request.context}"
    section = project.file.resends.get(request.context)
    if section is None:
        raise ConfigurationError(
            f"cutline.yaml does not say where subjects of {request.context} may be sent: it has no "
            f"{key}",
            left_behind=NOTHING_SENT,
            next_step=f"Declare the topic and who answers for it: {key}.destinations."
            f"{request.destination}: {{owner: …}}",
        )
    destination = refuse_destination(project, section.destinations, request.destination, key)
    if request.rate is not None and project.file.topics.kind == "files":
        raise ConfigurationError(
            "--rate is for topics on Kafka: topics of files are written whole",
            left_behind=NOTHING_SENT,
            next_step="Leave it out.",
        )
    return destination


def _shelf(work: ResendWork) -> ReplayShelf:
    return ReplayShelf(work.project.lake, digest_of({"resend": work.request.chosen()}))


def _is_sent(work: ResendWork, earlier: KeptReplay | None) -> bool:
    """Whether the newest one is complete, and of the run that is asked for."""
    if earlier is None or earlier.status != "complete":
        return False
    return _run_of(earlier) == work.record.run_id


def _begun_or_next(
    work: ResendWork, shelf: ReplayShelf, earlier: KeptReplay | None
) -> tuple[KeptReplay, bool]:
    """The one that was begun, and true; else a new one. Its position is its number and its run."""
    if earlier is not None and earlier.status == "begun":
        return earlier, True
    number = 1 if earlier is None else int(earlier.position.split()[0]) + 1
    position = f"{number} {work.record.run_id}"
    name = f"resend-{digest_of([shelf.digest, position])}"
    return KeptReplay(name, position, work.now, "begun", {}), False


def _run_of(resend: KeptReplay) -> str:
    return resend.position.split()[1]


def _figures(resend: KeptReplay) -> ResendFigures:
    return ResendFigures.restored(resend.figures)


def _workspace(work: ResendWork, run_id: str) -> Workspace:
    """The run that is sent, as its stages saw it; RunFailed where it is there no more."""
    record = work.record if run_id == work.record.run_id else work.control.run(run_id)
    if record is None:
        raise _run_is_gone(work, f"run {run_id}, which the control database has no more")
    if not lake_of(work.project, record).seems_whole(TIMELINE.name):
        raise _run_is_gone(work, f"run {run_id}, whose tables are in the lake no more")
    return workspace_as_recorded(work.project, record)


def _run_is_gone(work: ResendWork, begun_with: str) -> RunFailed:
    return RunFailed(
        f"the resend was begun with {begun_with}",
        left_behind="What it had sent stays on the topic.",
        next_step=f"Remove {_shelf(work).folder} and run the same command again: it sends all of "
        "it anew.",
    )


def _topics(work: ResendWork, lake: Lake, name: str, epoch: int) -> ReplayTopics:
    request = work.request
    sender = ReplaySender(work.project, lake, request.destination, name, epoch, request.rate)
    return replay_topics(sender)


def _members(
    workspace: Workspace, request: ResendRequest, lake: Lake
) -> tuple[DataFrame, tuple[MemberCount, ...]]:
    """Who is sent, kept in the lake until the resend is complete: who is held may change."""
    spark = workspace.spark
    if not lake.exists(spark, _MEMBERS):
        alone = request.alone or request.state
        members = members_of(workspace, chosen_subjects(workspace, request), alone=alone)
        lake.remember(members, _MEMBERS, lambda: None)
    members = spark.read.parquet(lake.path(_MEMBERS))
    names = ("aggregate", "is_asked", "fate")
    rows = members.groupBy(*names).agg(F.count(F.lit(1)).alias("subjects")).orderBy(*names)
    return members.where(F.col("fate") == SENT), tuple(MemberCount(*row) for row in rows.collect())


def _records(
    workspace: Workspace, request: ResendRequest, members: DataFrame, name: str
) -> DataFrame:
    if not request.state:
        return history_records(workspace, members, request.destination, name)
    owner = members.select("aggregate").first()
    aggregates = workspace.context.aggregates
    # Whoever is asked for, their states are of one aggregate.
    aggregate = next(a for a in aggregates if owner is None or a.name == owner[0])
    return state_records(workspace, aggregate, members, request.destination, name)


def _by_type(records: DataFrame) -> dict[str, int]:
    """Records by type: as many rows as the context has event types."""
    kind = mapped_header("ce_type").alias("type")
    rows = records.groupBy(kind).agg(F.count(F.lit(1)).alias("records")).orderBy("type")
    return {row["type"]: row["records"] for row in rows.collect()}
