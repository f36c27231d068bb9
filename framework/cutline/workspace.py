"""The workspace of a stage: the run, the project, the plugins, the lake, Spark."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from cutline.context import Context
from cutline.control import PublishedPartition, Tenure
from cutline.errors import RunFailed
from cutline.lake.lake import Lake
from cutline.project.loaded import LoadedProject
from cutline.results import ExtractResult, FileRead, StageResult
from cutline.tables import Table
from cutline.translator.translation import Translation

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

R = TypeVar("R", bound=StageResult)


@dataclass(frozen=True)
class EarlierExtract:
    """The extract of another run of the slice, and its lake."""

    run_id: str
    lake: Lake
    result: ExtractResult


@dataclass(frozen=True)
class BaseRun:
    """The complete run of the slice that an advance goes on from: its lake and its results."""

    run_id: str
    lake: Lake
    done: Mapping[str, StageResult]


@dataclass(frozen=True)
class RunBefore:
    """The previous run of the slice, with which this one's breaks are compared.

    `run_id` and `lake` are null for the first; `place` is the number of earlier runs in the trend.
    `forgotten_runs` are the runs between the two whose history is no longer in the lake, newest
    first.
    """

    run_id: str | None = None
    lake: Lake | None = None
    place: int = 0
    forgotten_runs: tuple[str, ...] = ()

    def read(self, spark: SparkSession, table: Table) -> DataFrame:
        """A table of that run; without rows if there is no previous run."""
        from cutline.spark.no_rows import no_rows

        return no_rows(spark, table.ddl) if self.lake is None else self.lake.read(spark, table)


@dataclass(frozen=True)
class Workspace:
    """Everything that one stage of one run works with.

    `recorded_at` is the run's knowledge time: the latest moment at which one of its extracts was
    taken; `extract_times` holds those moments by source. `positions` says what identifies each
    input; of one that moves, it is how far this run reads it, and nothing beyond is read. `handles`
    has by name what is open of these until the extract is done. `done` holds the results of the
    stages that are complete, `seconds` how long they took, both by stage name. `earlier` finds what
    another run of the slice extracted from the same inputs (by a digest of them), if one did;
    `before` the run that reconciliation compares with. `epoch` is that of the slice's lease;
    `remember_publications` enters into the ledger what is published. `base` is the run that
    this one goes on from; null where it reads everything. `tenures` says who wrote the slice under
    which epoch, oldest first; none where its rollout was never opened. `note` tells people
    something about the run. `frozen` says what the files of each input held when the run was named.
    `confirm_authority` raises ConfigurationError where the new side writes what the run has.
    Within `limited` the client quotas of the slice stand on the cluster of its topics.
    `spark` starts a session when first asked.
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
    earlier: Callable[[str], EarlierExtract | None] = lambda _digest: None
    before: Callable[[], RunBefore] = RunBefore
    handles: Mapping[str, object] = field(default_factory=dict)
    epoch: int = 0
    remember_publications: Callable[[Sequence[PublishedPartition]], None] = lambda _published: None
    base: BaseRun | None = None
    tenures: Sequence[Tenure] = ()
    note: Callable[[str], None] = lambda _text: None
    frozen: Mapping[str, tuple[FileRead, ...]] = field(default_factory=dict)
    confirm_authority: Callable[[], None] = lambda: None
    limited: Callable[[], AbstractContextManager[None]] = nullcontext

    def result_of(self, model: type[R]) -> R:
        """The result of the stage with that model; RunFailed if it is not done."""
        result = self.done.get(model.stage)
        if not isinstance(result, model):
            raise RunFailed(
                f"stage {model.stage} of run {self.run_id} is not done",
                left_behind="Nothing was changed.",
                next_step=f"cutline run {self.context.name} --region {self.region}",
            )
        return result

    @property
    def spark(self) -> SparkSession:
        """The Spark session of this process."""
        from cutline.spark.session import session

        return session(self.project.file.spark)
