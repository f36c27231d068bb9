"""What becomes of a judgement: the timeline, as it is told from now on, and what is refused."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.tables import REFUSED, TIMELINE
from cutline.tables.verdict import ACCEPTED

IS_ACCEPTED = "is_accepted"

_TOLD = {
    "migconfidence": "told.confidence",
    "migorigin": "told.origin",
    "migsupersedes": "told.supersedes",
    "corrects": "told.corrects",
}


def parted(judged: DataFrame) -> DataFrame:
    """All events of a judgement in the columns of TIMELINE and REFUSED, with IS_ACCEPTED."""
    accepted = F.col("verdict") == ACCEPTED
    columns = []
    for name in dict.fromkeys([*TIMELINE.names, *REFUSED.names]):
        told = F.col(_TOLD.get(name, f"`{name}`"))
        if name in _TOLD and name in REFUSED.names:
            told = F.when(accepted, told).otherwise(F.col(f"`{name}`"))
        columns.append(told.alias(name))
    return judged.select(*columns, accepted.alias(IS_ACCEPTED))
