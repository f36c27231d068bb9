"""Candidates with verdicts as rows of TIMELINE and REFUSED."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.engine.frames import step
from cutline.engine.merge.frames import (
    AMENDED,
    AMENDED_COLUMNS,
    IS_ACCEPTED,
    MERGED,
    SPLIT,
    VERDICT,
)
from cutline.tables import REFUSED
from cutline.tables.verdict import ACCEPTED


@step(needs=MERGED, returns=SPLIT)
def split_by_verdict(candidates: DataFrame) -> DataFrame:
    """The candidates as rows of TIMELINE or of REFUSED, by IS_ACCEPTED.

    An accepted event has the values of AMENDED; a refused one is as it came.
    """
    accepted = F.col(VERDICT) == ACCEPTED
    columns = {name: F.col(f"`{name}`") for name in SPLIT.names if name != IS_ACCEPTED}
    for name in AMENDED_COLUMNS:
        amended = F.col(AMENDED).getField(name)
        is_of_refused = name in REFUSED.names
        columns[name] = (
            F.when(accepted, amended).otherwise(columns[name]) if is_of_refused else amended
        )
    columns[IS_ACCEPTED] = accepted
    return candidates.select(*(column.alias(name) for name, column in columns.items()))
