"""An aggregate's state from its timeline: one aggregation per subject, one more per `Lines`."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.context import Aggregate, Fold, Lines
from cutline.engine.frames import Frame, frame_of, step
from cutline.engine.project.columns import FIELDS, is_one_of, json_type, payload_field, state_column
from cutline.engine.project.fold import fold_states, has_column
from cutline.engine.project.types import key_type, state_table, state_type
from cutline.sql.spark import in_small_letters
from cutline.tables import TIMELINE, TOMBSTONES

# With a blank, which no state column has in its name.
_ENDS = "is ended"

PROJECTED = Frame(
    "one accepted event",
    frame_of(TIMELINE).named("aggregate", "subject", "ordinal", "type", "time", "data"),
)


def _states(aggregate: Aggregate) -> Frame:
    return frame_of(state_table(aggregate))


@step(needs=PROJECTED, returns=_states)
def project(timeline: DataFrame, aggregate: Aggregate) -> DataFrame:
    """One row per subject of the aggregate that has events and has not ended."""
    rows = _events(timeline, aggregate)
    nested = {n: c for n, c in aggregate.state.items() if isinstance(c, Lines | Fold)}
    if any(isinstance(column, Lines) for column in nested.values()):
        # Grouping by subject, and by subject and key, then needs no further exchange.
        rows = rows.repartition("subject")
    state = rows.groupBy("subject").agg(
        *(
            state_column(aggregate, name, column).alias(name)
            for name, column in aggregate.state.items()
            if name not in nested
        ),
        F.count(F.lit(1)).alias("events"),
        F.min("time").alias("first_time"),
        F.max("time").alias("last_time"),
        *([_last_ends(aggregate).alias(_ENDS)] if aggregate.ended_by else []),
    )
    if aggregate.ended_by:
        state = state.where(~F.col(f"`{_ENDS}`"))
    for name, column in nested.items():
        if isinstance(column, Lines):
            column_rows, empty = _lines(rows, aggregate, name, column), F.array()
        else:
            column_rows, empty = (
                fold_states(timeline, aggregate, name, column),
                F.lit(column.initial),
            )
        state = state.join(column_rows, "subject", "left")
        of_type = empty.cast(state_type(aggregate, name))
        state = state.withColumn(
            name, F.when(F.col(f"`{has_column(name)}`"), F.col(name)).otherwise(of_type)
        )
    return state.select(*state_table(aggregate).names)


@step(needs=PROJECTED, returns=frame_of(TOMBSTONES))
def ended_subjects(timeline: DataFrame, aggregate: Aggregate) -> DataFrame:
    """One row per subject whose last event ends it."""
    mine = timeline.where(F.col("aggregate") == aggregate.name)
    last = F.max_by(F.struct("id", "type", "time"), "ordinal")
    subjects = mine.groupBy("subject").agg(last.alias("last"))
    return subjects.where(_is_end(aggregate, F.col("last.type"))).select(
        *(
            {
                "aggregate": F.lit(aggregate.name),
                "subject": F.col("subject"),
                "event_id": F.col("last.id"),
                "type": F.col("last.type"),
                "time": F.col("last.time"),
            }[name].alias(name)
            for name in TOMBSTONES.names
        )
    )


def _events(timeline: DataFrame, aggregate: Aggregate) -> DataFrame:
    """The aggregate's events, with the payload fields that some state column reads."""
    mine = timeline.where(F.col("aggregate") == aggregate.name)
    names = sorted({field for c in aggregate.state.values() for _, field in c.fields()})
    columns = [F.col(name) for name in ("subject", "type", "time", "ordinal")]
    if names:
        types = {n: json_type(aggregate, n) for n in names}
        fields = F.from_json("data", ", ".join(f"`{n}` {kind}" for n, kind in types.items()))
        if any(in_small_letters(name) != name for name in names):
            renamed = ",".join(f"`{in_small_letters(n)}`:{kind}" for n, kind in types.items())
            fields = fields.cast(f"struct<{renamed}>")
        columns.append(fields.alias(FIELDS))
    return mine.select(*columns)


def _last_ends(aggregate: Aggregate) -> Column:
    return F.max_by(_is_end(aggregate, F.col("type")), F.col("ordinal"))


def _is_end(aggregate: Aggregate, type: Column) -> Column:
    return type.isin([event.event_type() for event in aggregate.ended_by])


def _lines(rows: DataFrame, aggregate: Aggregate, name: str, column: Lines) -> DataFrame:
    """One row per subject that has a line: its lines in an array, sorted by key."""
    keys = {key: payload_field(key, key_type(aggregate, column, key)) for key in column.key}
    mine = rows.where(is_one_of(tuple(column.events))).select(
        "*", *(value.alias(f"key_{key}") for key, value in keys.items())
    )
    by_key = [f"key_{key}" for key in keys]
    lines = (
        mine.dropna(subset=by_key)
        .groupBy("subject", *by_key)
        .agg(
            *(
                state_column(aggregate, f"{name}.{inner}", c).alias(f"of_{inner}")
                for inner, c in column.columns.items()
            ),
            F.max_by(is_one_of(column.removed_by), F.col("ordinal")).alias("removed"),
        )
    )
    line = F.struct(
        *(F.col(f"key_{key}").alias(key) for key in keys),
        *(F.col(f"of_{inner}").alias(inner) for inner in column.columns),
    )
    # One element per line, not per event.
    whole = F.sort_array(F.collect_list(line)).alias(name)
    current = lines.where(~F.col("removed")).groupBy("subject")
    return current.agg(whole, F.lit(True).alias(has_column(name)))
