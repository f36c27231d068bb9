"""Which open exceptions of a run are re-driven."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from cutline.engine.advance import KEY
from cutline.tables import EXCEPTION_HISTORY
from cutline.tables.breaks import FIXED
from cutline.workspace import BaseRun


@dataclass(frozen=True)
class ExceptionSelection:
    """All open exceptions of a run, or those of some rules or ids.

    `rules` and `ids` are both empty where all are meant. `discarded` are ids that are left alone.
    """

    rules: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    discarded: tuple[str, ...] = ()

    @property
    def is_wanted(self) -> Column:
        """Whether a row of EXCEPTION_HISTORY is selected."""
        wanted = F.col("state") != FIXED
        if self.rules or self.ids:
            wanted &= F.col("rule").isin(*self.rules) | F.col("id").isin(*self.ids)
        return wanted & ~F.col("id").isin(*self.discarded)

    def exceptions(self, spark: SparkSession, base: BaseRun) -> DataFrame:
        """The selected exceptions, in the columns of EXCEPTION_HISTORY."""
        return base.lake.read(spark, EXCEPTION_HISTORY).where(self.is_wanted)

    def rows(self, spark: SparkSession, base: BaseRun, sources: Collection[str]) -> DataFrame:
        """The keys of the source rows that they are about, or whose events they are.

        Those of `sources` only: an event of a live producer has no row.
        """
        selected = self.exceptions(spark, base).where(F.col("source").isin(*sources))
        return selected.select(*KEY).distinct()
