"""Which subjects the rows of a table belong to, and belonged to: by ends, and by their images."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.engine.advance.frames import EDGES, KEY, ROW_KEYS, SUBJECT
from cutline.engine.frames import Frame, frame_of, step
from cutline.engine.rules import subject_of
from cutline.tables import DISPOSITIONS
from cutline.tables.change import changes as changes_table
from cutline.translator.part import Part

_PLACE = Frame(
    "a change", frame_of(changes_table("s", "t", "struct<x:int>")).named("source", "table", "key")
)


@step(needs=frame_of(DISPOSITIONS), returns=EDGES)
def edges_of_ends(dispositions: DataFrame) -> DataFrame:
    """The subjects that rows had when they got their ends, in an earlier run."""
    return dispositions.where(F.col("subject").isNotNull()).select(*KEY, *SUBJECT)


@step(needs=_PLACE, returns=EDGES)
def edges_of_changes(changes: DataFrame, part: Part, aggregate: str) -> DataFrame:
    """The subjects that the images of changes name, before and after, under both of their keys.

    Where a change gives a row another key, so that all four belong together.
    """
    sides = [subject_of(part, F.col(side)) for side in ("after", "before")]
    pairs = F.array(
        *(
            F.struct(F.col(key).alias("key"), subject.alias("subject"))
            for key in ("key", "old_key")
            for subject in sides
        )
    )
    edges = changes.select("source", "table", F.inline(pairs))
    is_edge = F.col("key").isNotNull() & F.col("subject").isNotNull()
    return edges.where(is_edge).select(*KEY, F.lit(aggregate).alias("aggregate"), "subject")


@step(needs=_PLACE, returns=ROW_KEYS)
def keys_of_changes(changes: DataFrame) -> DataFrame:
    """Each key that changes name, the old one of a changed key too; null for rows without one."""
    keys = F.array("key", "old_key")
    named = changes.select(
        "source", "table", F.col("key").isNull().alias("keyless"), keys.alias("k")
    )
    exploded = named.select("source", "table", "keyless", F.explode("k").alias("key"))
    return exploded.where(F.col("key").isNotNull() | F.col("keyless")).select(*KEY).distinct()
