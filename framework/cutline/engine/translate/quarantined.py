"""Which looked-up tables have quarantined changes: only of these lookups need a longer plan."""

from __future__ import annotations

from collections.abc import Collection
from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.engine.compose import quarantined_in_history
from cutline.engine.frames import Frame, FrameColumn, step
from cutline.engine.translate.images import classified_reference
from cutline.engine.translate.inputs import Inputs
from cutline.translator.contract import SourceContract

QUARANTINED_TABLES = Frame(
    "one looked-up table with a quarantined change",
    (
        FrameColumn("source", "string", "the source", False),
        FrameColumn("table", "string", "the table", False),
    ),
)


@step(returns=QUARANTINED_TABLES)
def quarantined_tables(looked_up: Collection[type[SourceContract]], inputs: Inputs) -> DataFrame:
    """Of the tables of `looked_up`, those with a quarantined change that may be before the cut."""
    frames = [
        quarantined_in_history(classified_reference(contract, inputs[contract])).select(
            F.lit(contract.source()).alias("source"), F.lit(contract.table()).alias("table")
        )
        for contract in looked_up
    ]
    return reduce(DataFrame.unionByName, frames).distinct()
