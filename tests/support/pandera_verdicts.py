"""What pandera's own code makes of each row of a frame.

pandera judges whole frames: a check keeps the rows that fail, `frame.filter(~condition)`, and
passes if none is left. So the rows that it keeps are the rows that fail. `validate` is run here on
a frame that notes each condition instead of counting, for hundreds of them to be looked at in one
job.
"""

from __future__ import annotations

from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.classic.dataframe import DataFrame as ClassicDataFrame

from cutline.translator import SourceContract


class Noted(ClassicDataFrame):
    """A frame that notes the condition of each `filter`, and of which nothing is counted."""

    def __init__(self, jdf: Any, session: Any) -> None:
        super().__init__(jdf, session)
        self.conditions: list[Column] = []

    def filter(self, condition: Column) -> Noted:
        self.conditions.append(condition)
        return self

    def limit(self, num: int) -> Noted:
        assert num == 1
        return self

    def count(self) -> int:
        return 0


def fails(contract: type[SourceContract], frame: DataFrame) -> list[Column]:
    """For each check of the contract, in pandera's order: whether it keeps a row as failing."""
    noted = Noted(frame._jdf, frame.sparkSession)
    assert not contract.validate(noted).pandera.errors
    return [F.coalesce(condition, F.lit(False)) for condition in noted.conditions]
