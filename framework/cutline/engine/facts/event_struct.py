"""The struct of an event, while events are an array of their change."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F

EVENT_STRUCT = (
    "struct<type:string,aggregate:string,subject:string,occurrence:string,time:timestamp,"
    "basis:string,confidence:string,replaysafe:boolean,schema:string,ordinal:string,data:string>"
)


def ordinal_text(ordinal: int) -> str:
    """The place of a fact among its translator's, from 1, as text: up to 999 it sorts alike."""
    return f"{ordinal:03d}"


def no_events() -> Column:
    """An empty array of EVENT_STRUCT."""
    return F.array().cast(f"array<{EVENT_STRUCT}>")
