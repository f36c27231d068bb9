"""A frame of images without rows, on which Spark analyses a translator's rules."""

from __future__ import annotations

from pyspark.sql import DataFrame, SparkSession

from cutline.engine.frames import Frame, FrameColumn, step
from cutline.engine.rules import AFTER, BEFORE, WAS, view_types
from cutline.spark.no_rows import no_rows
from cutline.translator.translator import Translator


def rule_inputs(translator: type[Translator]) -> Frame:
    """The columns that rules see."""
    columns: list[FrameColumn] = []
    for name, part in translator.parts.items():
        row = part.contract.ddl()
        columns += [
            FrameColumn(f"{AFTER}_{name}", row, "the part's row after the commit"),
            FrameColumn(f"{BEFORE}_{name}", row, "the part's row before the commit"),
            FrameColumn(f"{WAS}_{name}", row, "its row in the subject's last sound image"),
        ]
    for name, lookup in translator.lookups.items():
        row = lookup.contract.ddl()
        rows = f"array<{row}>" if lookup.many else row
        columns += [
            FrameColumn(f"{AFTER}_{name}", rows, "what the key meets at the commit"),
            FrameColumn(f"{WAS}_{name}", rows, "what it met in the last sound image"),
        ]
    columns += [
        FrameColumn(f"{AFTER}_{name}", kind, "what the view counts of the commit")
        for name, kind in view_types(translator).items()
    ]
    return Frame("one image, as rules see it", tuple(columns))


@step(returns=rule_inputs)
def empty_images(spark: SparkSession, translator: type[Translator]) -> DataFrame:
    """No rows, in the columns that rules see."""
    return no_rows(spark, rule_inputs(translator).ddl)
