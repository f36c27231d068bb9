"""The table of facts for analytics: every accepted event with both of its times, append-only."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.context import Aggregate
from cutline.engine.frames import Frame, frame_of, step
from cutline.tables import TIMELINE
from cutline.tables.contract import Column, Table
from cutline.tables.event import EVENTS

_EVENT_COLUMNS = (
    "id",
    "type",
    "subject",
    "time",
    "recordedtime",
    "migorigin",
    "migconfidence",
    "migtimebasis",
    "migfactkey",
)


def facts_table(aggregate: Aggregate) -> Table:
    """The contract of an aggregate's append-only table of facts."""
    events = {column.name: column for column in EVENTS.columns}
    return Table(
        name=f"facts_{aggregate.name}",
        one_row_is=f"one event that was accepted of one {aggregate.name}, or a correction of one",
        columns=(
            *(events[name] for name in _EVENT_COLUMNS),
            Column("corrects", "string", "id of the event that it corrects; null for none"),
            events["data"],
        ),
        rules=(
            "rows are appended, never changed: `time` says when it was so, `recordedtime` since "
            "when it is known",
            "what is said late of an earlier time is appended with that earlier `time`",
        ),
    )


def _facts(aggregate: Aggregate) -> Frame:
    return frame_of(facts_table(aggregate))


def _facts_with_aggregate(aggregate: Aggregate) -> Frame:
    return _facts(aggregate).with_columns(*frame_of(TIMELINE).named("aggregate"))


@step(needs=_facts_with_aggregate, returns=_facts)
def accepted_facts(timeline: DataFrame, aggregate: Aggregate) -> DataFrame:
    """The accepted events of one aggregate; without an exchange."""
    mine = timeline.where(F.col("aggregate") == aggregate.name)
    return mine.select(*facts_table(aggregate).names)
