"""The live events that a run merges: of the slice, readable, and written under its authority."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame

from cutline.cut import live_until
from cutline.results import LiveEpoch
from cutline.stages.admitted_records import admitted_records
from cutline.stages.epoch_guard import (
    BESIDE,
    carries_epoch,
    epoch_beginnings,
    epochs_after,
    split_by_authority,
    with_places,
)
from cutline.stages.required_epochs import required_behind
from cutline.tables import EXCEPTIONS
from cutline.topics.choice import topics_of
from cutline.topics.cloudevents import native_events
from cutline.topics.live import live_places, live_records
from cutline.topics.names import live
from cutline.workspace import Workspace


@dataclass(frozen=True)
class LiveEvents:
    """What some records of live topics came to.

    `events` have the columns of EVENTS; `exceptions`, with those of EXCEPTIONS, are the records
    that could not be read as events of the slice, or whose writer had not the authority. `epochs`
    has the highest epoch of each partition, of these records and those before them.
    """

    events: DataFrame
    exceptions: DataFrame
    epochs: tuple[LiveEpoch, ...] = ()


def live_topic_records(workspace: Workspace) -> DataFrame:
    """Every record of the live topics, of all slices, up to the run's positions where they are on
    Kafka; in the columns of RECORDS."""
    topics = workspace.project.file.topics
    section = workspace.project.file.contexts[workspace.context.name]
    names = [live(topics.prefix, workspace.context.name, a) for a in section.live.aggregates]
    places = live_places(workspace.project, workspace.context.name)
    if places:
        scratch = workspace.lake.scratch("_live")
        return live_records(workspace.spark, places, workspace.positions, scratch)
    return topics_of(workspace).read(workspace.spark, names)


def readable_events(
    workspace: Workspace, records: DataFrame, beside: Sequence[str] = ()
) -> tuple[DataFrame, DataFrame]:
    """The events of the slice among some records, whoever wrote them, and those that could not be
    read as such; both with the columns `beside` of their records."""
    everything = workspace.project.file.regions[workspace.region].everything
    region = None if everything else workspace.region
    until = live_until(workspace.project, workspace.context.name)
    return native_events(records, workspace.context, region, until, beside)


def live_events_of(
    workspace: Workspace, records: DataFrame, before: Sequence[LiveEpoch] = ()
) -> LiveEvents:
    """What some records come to, whose partitions had the epochs `before` before them.

    Of a slice whose rollout was never opened nobody issued an epoch, and none is looked at.
    """
    if not workspace.tenures:
        events, unreadable = readable_events(workspace, records)
        return LiveEvents(events, unreadable)
    placed = with_places(records, workspace.context.name, workspace.region)
    with_epochs, _ = readable_events(workspace, placed.where(carries_epoch()), BESIDE)
    beginnings = epoch_beginnings(with_epochs, workspace.tenures[-1].epoch)
    events, unreadable = readable_events(workspace, placed, BESIDE)
    with_authority, without = split_by_authority(
        events,
        beginnings,
        before,
        workspace.tenures,
        admitted_records(workspace),
        required_behind(workspace, workspace.tenures),
    )
    return LiveEvents(
        with_authority,
        unreadable.select(*EXCEPTIONS.names).unionByName(without),
        epochs_after(before, beginnings),
    )
