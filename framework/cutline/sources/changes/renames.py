"""A changed key comes as a deletion of the old key and a creation of the new one: one rename.

The two halves name each other in their headers and belong to one transaction. They may be in
different partitions, unless offsets alone order the changes: then their order is not known, and
they stay separate. The rename takes the place of the creation.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.sources.changes.envelope import ROW
from cutline.tables.change import CREATE, DELETE

DROPPED, RENAMED, HALF = "dropped", "renamed", "half"
"""The part of a half: the deletion is dropped, the creation becomes the rename, or a half is alone.
"""

_PAIR = ("table", "session", "from", "to", "time")


def key_change_halves(narrow: DataFrame, log: str) -> DataFrame:
    """By file and number of each half, its `part`, and for RENAMED the image before, as text.

    `log` is the kind of log that the project declares.
    """
    session = F.coalesce("transaction", F.lit(""))
    rows = narrow.where(F.col("kind") == ROW).withColumn("session", session)
    deletions = _number_halves(
        rows, f"op = '{DELETE}' AND newkey IS NOT NULL", "key_text", "newkey"
    )
    creations = _number_halves(
        rows, f"op = '{CREATE}' AND oldkey IS NOT NULL", "oldkey", "key_text"
    )
    pair = (*_PAIR, "partition") if log == "kafka" else _PAIR
    creations = creations.select(
        *pair, F.col("file").alias("at_file"), F.col("number").alias("at_number")
    )
    pairs = deletions.join(creations, list(pair), "full")
    paired = F.col("number").isNotNull() & F.col("at_number").isNotNull()
    deletion = pairs.where("number IS NOT NULL").select(
        "file",
        "number",
        F.when(paired, F.lit(DROPPED)).otherwise(F.lit(HALF)).alias("part"),
        F.lit(None).cast("string").alias("image"),
    )
    creation = pairs.where("at_number IS NOT NULL").select(
        F.col("at_file").alias("file"),
        F.col("at_number").alias("number"),
        F.when(paired, F.lit(RENAMED)).otherwise(F.lit(HALF)).alias("part"),
        "image",
    )
    return deletion.unionByName(creation)


def _number_halves(rows: DataFrame, condition: str, old: str, new: str) -> DataFrame:
    """One kind of half, numbered among those of the same two keys and transaction."""
    return rows.where(condition).selectExpr(
        *("file", "number", "image", "table", "session", "partition"),
        f"{old} AS `from`",
        f"{new} AS `to`",
        f"row_number() OVER (PARTITION BY table, session, {old}, {new} ORDER BY place) AS time",
    )
