"""What is sent of the members: their histories, or their states."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.engine.project import state_table
from cutline.replay.records import with_labels
from cutline.resend.choosing import SUBJECT
from cutline.tables import TIMELINE
from cutline.topics.cloudevents import event_records
from cutline.topics.headers import with_header_map
from cutline.topics.publish import EventSource, records, states, tombstones

if TYPE_CHECKING:
    from cutline.context import Aggregate
    from cutline.workspace import Workspace

ORDER = ("turn", "aggregate", "subject", "ordinal")
"""The columns by which what is sent is in one order: wholes before parts, a subject's events as its
timeline has them."""


def history_records(workspace: Workspace, members: DataFrame, topic: str, resend: str) -> DataFrame:
    """One record per event of a member, as the timeline has it, also those of live producers; they
    say that they are replayed."""
    of_members = members.select(*SUBJECT, "turn")
    events = workspace.lake.read(workspace.spark, TIMELINE).join(of_members, list(SUBJECT))
    of_events = event_records(events, "turn", "aggregate", "subject")
    return with_header_map(of_events).select(
        F.lit(topic).alias("topic"),
        "key",
        with_labels(F.col("headers"), resend).alias("headers"),
        "value",
        "timestamp",
        *ORDER,
    )


def state_records(
    workspace: Workspace, aggregate: Aggregate, members: DataFrame, topic: str, resend: str
) -> DataFrame:
    """One record per member, all of one aggregate: its newest state, or a tombstone where it has
    none any more."""
    teller = EventSource(
        workspace.context.name, workspace.region, workspace.run_id, workspace.recorded_at
    )
    table = workspace.lake.read(workspace.spark, state_table(aggregate))
    ended = members.join(table, "subject", "left_anti").select(*SUBJECT)
    rows = states(table.join(members, "subject", "left_semi"), topic, aggregate.name).unionByName(
        tombstones(ended.withColumn("topic", F.lit(topic)))
    )
    return with_header_map(records(rows, teller)).select(
        "topic",
        "key",
        with_labels(F.col("headers"), resend).alias("headers"),
        "value",
        "timestamp",
        F.lit(0).alias("turn"),
        F.lit(aggregate.name).alias("aggregate"),
        F.col("key").alias("subject"),
        F.lit(1).alias("ordinal"),
    )
