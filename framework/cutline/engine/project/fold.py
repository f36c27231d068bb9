"""State columns that Python computes: slow, for what no aggregation can express."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.context import Aggregate, Event, Fold
from cutline.context.fold_value import exact_fold_value
from cutline.engine.frames import Frame, FrameColumn, step
from cutline.engine.project.uncomputable import StateError

if TYPE_CHECKING:
    import pandas as pd


def has_column(name: str) -> str:
    """The name of the column that says whether a subject has a column's value; with a blank, which
    no state column has in its name."""
    return f"has {name}"


def fold_columns(name: str, column: Fold) -> Frame:
    """What `fold_states` returns."""
    return Frame(
        "one subject to which an event of the column came",
        (
            FrameColumn("subject", "string", "the subject's id", False),
            FrameColumn(name, column.type, "the column's value"),
            FrameColumn(has_column(name), "boolean", "always true", False),
        ),
    )


@step(returns=fold_columns)
def fold_states(timeline: DataFrame, aggregate: Aggregate, name: str, column: Fold) -> DataFrame:
    """The column's value of each subject to which one of its events came.

    All such events of a subject are in one Python worker's memory at once. A step that raises, and
    a value that is none of the column's type, end the job with a StateError.
    """
    kinds: Mapping[str, type[Event]] = {event.event_type(): event for event in column.events}
    step, initial, aggregate_name = column.step, column.initial, aggregate.name
    assert step is not None, "a fold is made by cutline.context.fold"
    mine = timeline.where(F.col("aggregate") == aggregate.name)
    rows = mine.where(F.col("type").isin(list(kinds))).select("subject", "ordinal", "type", "data")

    def fold_subject(events: pd.DataFrame) -> pd.DataFrame:
        import pandas as pd

        value, kind, subject = initial, "", events["subject"].iloc[0]
        in_order = events.sort_values("ordinal")
        try:
            for kind, data in zip(in_order["type"], in_order["data"], strict=True):
                value = step(value, kinds[kind].model_validate_json(data))
        except Exception as error:
            why = f"its fold raises {type(error).__name__} at an event {kind}"
            raise StateError(aggregate_name, name, subject, why) from error
        try:
            value = exact_fold_value(column.type, value)
        except ValueError as error:
            why = f"what its fold gives after an event {kind} is no {column.type}: {error}"
            raise StateError(aggregate_name, name, subject, why) from None
        # As an object: pandas would make a float of a whole number that may be missing.
        columns = {
            "subject": [subject],
            name: pd.Series([value], dtype=object),
            has_column(name): [True],
        }
        return pd.DataFrame(columns)

    shape = fold_columns(name, column).ddl
    return rows.groupBy("subject").applyInPandas(fold_subject, shape)
