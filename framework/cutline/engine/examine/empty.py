"""An image without rows: what Spark analyses a translator's rules on."""

from __future__ import annotations

from pyspark.sql import DataFrame, SparkSession

from cutline.engine.rules import AFTER, BEFORE, WAS, view_types
from cutline.spark.no_rows import no_rows
from cutline.translator.translator import Translator


def empty_images(spark: SparkSession, translator: type[Translator]) -> DataFrame:
    """No rows, in the columns that rules see: each part and lookup, on each side of a change.

    And of each view, after it.
    """
    columns = []
    for name, part in translator.parts.items():
        columns += [f"{side}_{name} {part.contract.ddl()}" for side in (AFTER, BEFORE, WAS)]
    for name, lookup in translator.lookups.items():
        row = lookup.contract.ddl()
        kind = f"array<{row}>" if lookup.many else row
        columns += [f"{side}_{name} {kind}" for side in (AFTER, WAS)]
    columns += [f"{AFTER}_{name} {kind}" for name, kind in view_types(translator).items()]
    return no_rows(spark, ", ".join(columns))
