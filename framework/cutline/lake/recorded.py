"""The lake of a run that was made, for those who only look: each table is what was recorded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cutline.lake.lake import Lake
from cutline.lake.manifest import seeming_difference
from cutline.lake.unchanged import changed_error
from cutline.lake.written import TableWritten
from cutline.tables.contract import Table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@dataclass(frozen=True)
class RecordedLake(Lake):
    """The tables of run `run_id`; `recorded` are those of its stages that ended, by stage.

    A table is held against what its stage recorded before it is read, once: at the price of a look
    (see `manifest.seeming_difference`), for a command shows a few rows of perhaps very many. One of
    a stage that did not end, or of a run that was made before manifests, has nothing to be held
    against.
    """

    run_id: str = ""
    recorded: Mapping[str, Sequence[TableWritten]] = field(default_factory=dict)
    _checked: set[str] = field(default_factory=set, repr=False, compare=False)

    def read(self, spark: SparkSession, table: Table | str) -> DataFrame:
        """As `Lake.read`; RunFailed if the table is not what its stage wrote."""
        self._check_table(table if isinstance(table, str) else table.name)
        return super().read(spark, table)

    def exists(self, spark: SparkSession, name: str) -> bool:
        """As `Lake.exists`; RunFailed if it is there no more, or not what its stage wrote."""
        self._check_table(name)
        return super().exists(spark, name)

    def check(self, *tables: str) -> None:
        """RunFailed for the first of the tables that is not what its stage wrote, or is there no
        more; asked without Spark."""
        for name in tables:
            self._check_table(name)

    def _check_table(self, name: str) -> None:
        for stage, table in self._written(name):
            if name not in self._checked:
                says = seeming_difference(self.path(name), table.manifest, table.rows)
                if says is not None:
                    raise changed_error("table", name, self, self.run_id, stage, says)
                self._checked.add(name)

    def _written(self, name: str) -> list[tuple[str, TableWritten]]:
        return [
            (stage, table)
            for stage, tables in self.recorded.items()
            for table in tables
            if table.name == name and table.manifest
        ]
