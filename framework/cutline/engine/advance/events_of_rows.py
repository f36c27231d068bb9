"""The events that some source rows announced."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.engine.frames import frame_of, step
from cutline.spark.among import among
from cutline.tables import EVENTS
from cutline.tables.event import ROW_OF_EVENT


@step(needs=frame_of(EVENTS), returns=frame_of(EVENTS))
def events_of_rows(events: DataFrame, rows: DataFrame) -> DataFrame:
    """Those of the events whose source row is among `rows`, which are as ROW_KEYS."""
    named = rows.select(*(F.col(key).alias(name) for name, key in ROW_OF_EVENT.items()))
    return among(events, named, tuple(ROW_OF_EVENT))
