"""Lookups: reference data joined to images, as of the cut."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.engine.row import AFTER, BEFORE, image
from cutline.tables.change import DELETE, SNAPSHOT
from cutline.translator.part import Lookup

_ROWS = "_rows"


def lookup_table(lookup: Lookup, readable: DataFrame, changing: bool) -> DataFrame:
    """One row per value of the `by` columns: `_by_<i>`, the looked-up struct or array, `_rows`.

    `readable` are the changes of the looked-up table that could be read, up to the cut. Rows with
    a null in a `by` column are left out: they equal nothing.
    """
    if changing:
        key = [F.col("key")]
        newest = F.struct(F.col("op") != F.lit(SNAPSHOT), "position")
        readable = (
            readable.groupBy(*key)
            .agg(F.max_by(F.struct("op", "after"), newest).alias("last"))
            .where(F.col("last.op") != F.lit(DELETE))
            .select(F.col("last.after").alias("after"))
        )
    by = [F.col("after").getField(name).alias(f"_by_{i}") for i, name in enumerate(lookup.by)]
    rows = readable.select(*by, "after").dropna(subset=[f"_by_{i}" for i in range(len(by))])
    names = [f"_by_{i}" for i in range(len(by))]
    if lookup.many:
        found = F.sort_array(F.collect_list("after")).alias("found")
        return rows.groupBy(*names).agg(found, F.lit(1).alias(_ROWS))
    if lookup.by == lookup.contract.key():
        return rows.select(*names, F.col("after").alias("found"), F.lit(1).alias(_ROWS))
    return rows.groupBy(*names).agg(F.min("after").alias("found"), F.count("*").alias(_ROWS))


def join_lookup(
    images: DataFrame, name: str, lookup: Lookup, table: DataFrame, primary: str, changing: bool
) -> DataFrame:
    """The images with `after_<lookup>` (and `before_<lookup>`) beside the parts.

    `several_<lookup>` counts the rows that the key of `after` meets: 0, 1, or more, which a person
    must look at.
    """
    images = _joined(images, AFTER, name, lookup, table, primary)
    if changing:
        images = _joined(images, BEFORE, name, lookup, table, primary)
    else:
        found = table.schema["found"].dataType
        images = images.withColumn(f"{BEFORE}_{name}", F.lit(None).cast(found))
    return images


def _joined(
    images: DataFrame, side: str, name: str, lookup: Lookup, table: DataFrame, primary: str
) -> DataFrame:
    own: Column = image(side, primary)
    keyed = table.select(
        *(F.col(f"_by_{i}").alias(f"_{side}_{name}_{i}") for i in range(len(lookup.by))),
        F.col("found").alias(f"{side}_{name}"),
        F.col(_ROWS).alias(f"several_{side}_{name}"),
    )
    meets = F.lit(True)
    for i, column in enumerate(lookup.on):
        meets = meets & (own.getField(column) == F.col(f"_{side}_{name}_{i}"))
    joined = images.join(keyed, meets, "left")
    return joined.drop(*(f"_{side}_{name}_{i}" for i in range(len(lookup.by))))
