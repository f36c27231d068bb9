"""Whole subjects of a run's history, no more of their events than may be rehearsed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

from cutline.errors import ConfigurationError
from cutline.rehearsal.record import REHEARSAL_HEADER, Namespace, RehearsedRecord

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from cutline.project.loaded import LoadedProject
    from cutline.workspace import Workspace


@dataclass(frozen=True)
class ChosenHistory:
    """Events of whole subjects, each subject's in causal order, then the states of the subjects; or
    records of a replay, of whole keys.

    `events_of_run` is how many events the run or replay has in all, `subjects` how many subjects or
    keys were chosen.
    """

    events: Sequence[RehearsedRecord]
    states: Sequence[RehearsedRecord]
    events_of_run: int
    subjects: int


def sends_structured(project: LoadedProject) -> bool:
    """Whether the project's topics have events in the structured mode."""
    topics = project.file.topics
    return topics.kind == "kafka" and topics.binding == "structured"


def choose_history(
    workspace: Workspace, namespace: Namespace, share: float, most: int, *, structured: bool
) -> ChosenHistory:
    """A share of a run's own events, `most` of them at most, as records of a rehearsal.

    Which subjects are chosen a digest of their ids decides, so that the same run gives the same
    ones. RunFailed if a table is not what its stage wrote; ConfigurationError where no whole
    subject is so small.
    """
    from pyspark.sql import functions as F

    from cutline.tables import TIMELINE
    from cutline.tables.event import NATIVE

    timeline = workspace.lake.read(workspace.spark, TIMELINE)
    events = timeline.where(F.col("migorigin") != NATIVE).withColumn(
        "place", _place(F.col("aggregate"))
    )
    total, chosen, subjects = _chosen_places(
        events, share, most, f"events of run {workspace.run_id}", "subject", "readiness.rehearsal"
    )
    records = _history(workspace, namespace, events.join(chosen, "place", "left_semi"))
    states = _states(workspace, namespace, chosen)
    return ChosenHistory(
        events=_collected(records, namespace, _ORDINAL, structured=structured),
        states=()
        if states is None
        else _collected(states, namespace, _ORDINAL, structured=structured),
        events_of_run=total,
        subjects=subjects,
    )


def choose_records(
    records: DataFrame,
    namespace: Namespace,
    share: float,
    most: int,
    order: Sequence[str],
    key: str,
    *,
    structured: bool,
) -> ChosenHistory:
    """A share of what a replay would send, `most` records at most: of whole keys, each in `order`.

    Records without a key are of one, the empty text. `key` of cutline.yaml has the limits, for
    errors, which are those of `choose_history`.
    """
    from pyspark.sql import functions as F

    keyed = records.withColumns(
        {"key": F.coalesce("key", F.lit("")), "topic": F.lit(namespace.replayed())}
    ).withColumn("place", F.xxhash64("key"))
    total, chosen, keys = _chosen_places(keyed, share, most, "records of the replay", "key", key)
    some = keyed.join(chosen, "place", "left_semi")
    events = _collected(some, namespace, order, structured=structured)
    return ChosenHistory(events=events, states=(), events_of_run=total, subjects=keys)


def _chosen_places(
    rows: DataFrame, share: float, most: int, meaning: str, whole: str, key: str
) -> tuple[int, DataFrame, int]:
    """How many rows there are; of `place`, those whose rows are a share of them, and how many these
    are."""
    total = rows.count()
    bound = min(most, math.floor(total * share))
    sizes = rows.groupBy("place").count().orderBy("place").limit(bound + 1).collect()
    places = _fitting([(row["place"], row["count"]) for row in sizes], bound)
    if not places:
        raise ConfigurationError(
            f"{share:g} of the {total:,} {meaning} are {bound:,}, and no whole {whole} has so few",
            left_behind="Nothing was sent.",
            next_step=f"Give a larger --share, and raise {key} in cutline.yaml if it allows no "
            "more.",
        )
    chosen = rows.sparkSession.createDataFrame([(place,) for place in places], "place bigint")
    return total, chosen, len(places)


def _fitting(sizes: Sequence[tuple[int, int]], bound: int) -> list[int]:
    """The places whose events come to no more than the bound; one that is too large is left out."""
    places, events = [], 0
    for place, count in sizes:
        if events + count <= bound:
            places.append(place)
            events += count
    return places


def _place(aggregate: Column) -> Column:
    """A number that stands for a subject."""
    from pyspark.sql import functions as F

    return F.xxhash64(aggregate, F.col("subject"))


def _history(workspace: Workspace, namespace: Namespace, events: DataFrame) -> DataFrame:
    from pyspark.sql import functions as F

    from cutline.topics.cloudevents import event_records

    topics = {
        event.event_type(): namespace.history(workspace.context.name, aggregate.name)
        for aggregate in workspace.context.aggregates
        for event in aggregate.events
    }
    topic = _by_name(topics, F.col("headers")["ce_type"])
    return event_records(events).withColumn("topic", topic)


def _states(workspace: Workspace, namespace: Namespace, chosen: DataFrame) -> DataFrame | None:
    """The states of the chosen subjects; null for a context without aggregates."""
    from pyspark.sql import DataFrame
    from pyspark.sql import functions as F

    from cutline.engine.project import state_table
    from cutline.topics.publish import EventSource, records, states

    frames = []
    for aggregate in workspace.context.aggregates:
        table = workspace.lake.read(workspace.spark, state_table(aggregate))
        placed = table.withColumn("place", _place(F.lit(aggregate.name)))
        state = placed.join(chosen, "place", "left_semi").drop("place")
        frames.append(
            states(state, namespace.states(workspace.context.name, aggregate.name), aggregate.name)
        )
    if not frames:
        return None
    source = EventSource(
        workspace.context.name, workspace.region, workspace.run_id, workspace.recorded_at
    )
    every = records(reduce(DataFrame.unionByName, frames), source)
    return every.withColumn("ordinal", F.lit(1))


_ORDINAL = ("ordinal",)


def _collected(
    records: DataFrame, namespace: Namespace, order: Sequence[str], *, structured: bool
) -> tuple[RehearsedRecord, ...]:
    """The records with what says that they are a rehearsal's, by topic, key and order."""
    from pyspark.sql import functions as F

    from cutline.topics.headers import with_header_map
    from cutline.topics.structured import structured as in_structured_mode

    labels = F.create_map(
        *(F.lit(REHEARSAL_HEADER), F.lit(namespace.number)),
        *(F.lit("ce_migreplaysafe"), F.lit("false")),
    )
    others = F.map_filter(
        "headers", lambda name, _: ~name.isin(REHEARSAL_HEADER, "ce_migreplaysafe")
    )
    labelled = with_header_map(records).withColumn("headers", F.map_concat(others, labels))
    shaped = in_structured_mode(labelled) if structured else labelled
    rows = (
        shaped.orderBy("topic", "key", *order)
        .select("topic", "key", "headers", "value", F.unix_millis("timestamp").alias("millis"))
        .collect()
    )
    return tuple(
        RehearsedRecord(
            row["topic"],
            row["key"],
            dict(sorted(row["headers"].items())),
            row["value"],
            row["millis"],
        )
        for row in rows
    )


def _by_name(names: Mapping[str, str], text: Column) -> Column:
    from pyspark.sql import functions as F

    pairs = [F.lit(part) for pair in names.items() for part in pair]
    return F.try_element_at(F.create_map(*pairs), text)
