"""A resend, from who is asked for to what was read back."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F

from cutline.control import TOPIC_LEASES, Control, RunRecord
from cutline.errors import ConfigurationError
from cutline.lake.lake import Lake
from cutline.lake.places import place_of
from cutline.logs import logger
from cutline.project.loaded import LoadedProject
from cutline.project.replay import ReplayDestination
from cutline.replay.destination import refuse_destination
from cutline.replay.request import NOTHING_SENT
from cutline.replay.sending import ReplaySender, replay_topics
from cutline.replay.shelf import KeptReplay, ReplayShelf, digest_of, kept_in
from cutline.resend.choosing import chosen_subjects
from cutline.resend.members import SENT, members_of
from cutline.resend.records import ORDER, history_records, state_records
from cutline.resend.request import ResendRequest
from cutline.run.past import workspace_as_recorded

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
    """How a resend ended. `is_old` where it was complete before, `went_on` where an earlier attempt
    had begun it."""

    id: str
    figures: ResendFigures
    is_old: bool = False
    went_on: bool = False


@dataclass(frozen=True)
class _PreparedResend:
    workspace: Workspace
    destination: ReplayDestination
    shelf: ReplayShelf


def perform_resend(work: ResendWork, *, again: bool = False) -> ResendEnd:
    """Send what is asked for, and read it back.

    The same request over the same run goes on where a killed one was; one that is complete says so
    and sends nothing, unless it is to be sent `again`.
    """
    prepared = _prepare(work)
    spark, destination = prepared.workspace.spark, work.request.destination
    with work.control.lease(TOPIC_LEASES, destination) as lease:
        earlier = prepared.shelf.newest()
        if earlier is not None and earlier.status == "complete" and not again:
            return ResendEnd(earlier.id, ResendFigures.restored(earlier.figures), is_old=True)
        went_on = earlier is not None and earlier.status == "begun"
        if earlier is not None and went_on:
            resend = earlier
        else:
            number = str(1 if earlier is None else int(earlier.position) + 1)
            resend = KeptReplay(_id(prepared.shelf, number), number, work.now, "begun", {})
        lake = Lake(prepared.shelf.tables(resend.id), str(lease.epoch), lease.check)
        topics = replay_topics(
            ReplaySender(work.project, lake, resend.id, lease.epoch, work.request.rate)
        )
        with kept_in(spark, lake, _WORK):
            if not went_on:
                topics.refuse_consumers(destination, prepared.destination.groups)
            members, counts = _members(prepared.workspace, work.request, lake)
            sent = _records(prepared.workspace, work.request, members, resend.id)
            records = _by_type(sent)
            prepared.shelf.keep(resend)
            fields = {"resend": resend.id, "run": work.record.run_id, "topic": destination}
            _LOG.info("resend begun", extra=fields)
            work.say(f"sending {sum(records.values()):,} records to {destination}")
            figures = ResendFigures(counts, records, topics.send([destination], sent, ORDER))
        lease.check()
        prepared.shelf.keep(replace(resend, status="complete", figures=asdict(figures)))
        # Only now: an attempt that goes on sends to those that it finds there.
        lake.remove(spark)
        _LOG.info("resend done", extra=fields | {"records": sum(records.values())})
    return ResendEnd(resend.id, figures, went_on=went_on)


def plan_resend(work: ResendWork) -> ResendEnd:
    """What a resend would send; nothing is sent or kept."""
    prepared = _prepare(work)
    spark = prepared.workspace.spark
    lake = Lake(prepared.shelf.tables(f"look-{uuid.uuid4().hex}"))
    try:
        with kept_in(spark, lake, _WORK):
            members, counts = _members(prepared.workspace, work.request, lake)
            name = _id(prepared.shelf, "1")
            figures = ResendFigures(
                counts, _by_type(_records(prepared.workspace, work.request, members, name)), {}
            )
    finally:
        lake.remove(spark)
        place_of(spark, prepared.shelf.folder).delete_empty()
    return ResendEnd(name, figures)


def _prepare(work: ResendWork) -> _PreparedResend:
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
    digest = digest_of({"resend": request.chosen(), "run": work.record.run_id})
    workspace = workspace_as_recorded(project, work.record)
    return _PreparedResend(workspace, destination, ReplayShelf(project.lake, digest))


def _id(shelf: ReplayShelf, number: str) -> str:
    return f"resend-{digest_of([shelf.digest, number])}"


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
    kind = F.try_element_at("headers", F.lit("ce_type")).alias("type")
    rows = records.groupBy(kind).agg(F.count(F.lit(1)).alias("records")).orderBy("type")
    return {row["type"]: row["records"] for row in rows.collect()}
