"""What a stage may know and use: the run, the project, the plugins, the lake, Spark."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cutline.context import Context
from cutline.lake.lake import Lake
from cutline.project.loaded import LoadedProject
from cutline.stage import StageResult
from cutline.tables import Table
from cutline.translator.translation import Translation

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@dataclass(frozen=True)
class EarlierExtract:
    """What another run of the slice extracted, and where it keeps it."""

    run_id: str
    lake: Lake
    result: StageResult


@dataclass(frozen=True)
class RunBefore:
    """The run of the slice that this one's breaks are compared with.

    `run_id` and `lake` are null where there is none; `place` is how many runs stand before this
    one in the trend. `gone` are the runs between the two whose memory is no longer in the lake,
    newest first.
    """

    run_id: str | None = None
    lake: Lake | None = None
    place: int = 0
    gone: tuple[str, ...] = ()

    def read(self, spark: SparkSession, table: Table) -> DataFrame:
        """A table of that run; no rows where there is none."""
        from cutline.spark.no_rows import no_rows

        return no_rows(spark, table.ddl) if self.lake is None else self.lake.read(spark, table)


@dataclass(frozen=True)
class Workspace:
    """Everything that one stage of one run works with.

    `recorded_at` is the run's knowledge time: the latest moment at which one of its extracts was
    taken; `extract_times` holds those moments by source. `positions` says what identifies each
    input. `done` holds the results of the stages that are complete, `seconds` how long they took,
    both by stage name. `earlier` finds what another run of the slice extracted from the same
    inputs (`made_from`), if one did; `before` the run that reconciliation compares with. `spark`
    starts a session when first asked.
    """

    run_id: str
    region: str
    project: LoadedProject
    context: Context
    translation: Translation
    lake: Lake
    recorded_at: dt.datetime
    positions: Mapping[str, str]
    done: Mapping[str, StageResult]
    extract_times: Mapping[str, dt.datetime] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)
    earlier: Callable[[str], EarlierExtract | None] = lambda _made_from: None
    before: Callable[[], RunBefore] = RunBefore

    @property
    def spark(self) -> SparkSession:
        """The session of this process."""
        from cutline.spark.session import session

        return session(self.project.file.spark)
