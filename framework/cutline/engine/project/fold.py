"""State columns that Python makes: slow, and only for what no aggregation can say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.context import Aggregate, Event, Fold

if TYPE_CHECKING:
    import pandas as pd


def fold_states(timeline: DataFrame, aggregate: Aggregate, name: str, column: Fold) -> DataFrame:
    """One row per subject to which one of the column's events came: its value, and `has_<name>`.

    All such events of a subject are in one Python worker's memory at once.
    """
    kinds: Mapping[str, type[Event]] = {event.event_type(): event for event in column.events}
    step, initial = column.step, column.initial
    assert step is not None, "a fold is made by cutline.context.fold"
    mine = timeline.where(F.col("aggregate") == aggregate.name)
    rows = mine.where(F.col("type").isin(list(kinds))).select("subject", "ordinal", "type", "data")

    def fold_subject(events: pd.DataFrame) -> pd.DataFrame:
        import pandas as pd

        value = initial
        in_order = events.sort_values("ordinal")
        for kind, data in zip(in_order["type"], in_order["data"], strict=True):
            value = step(value, kinds[kind].model_validate_json(data))
        # As an object: pandas would make a float of a whole number that may be missing.
        columns = {
            "subject": [events["subject"].iloc[0]],
            name: pd.Series([value], dtype=object),
            f"has_{name}": [True],
        }
        return pd.DataFrame(columns)

    shape = f"subject string, `{name}` {column.type}, `has_{name}` boolean"
    return rows.groupBy("subject").applyInPandas(fold_subject, shape)
