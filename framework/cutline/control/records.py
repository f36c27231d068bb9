"""What is read from the control database: runs, stages and slices, as plain values."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeVar

from pydantic import ConfigDict
from typing_extensions import TypedDict

from cutline.control.holder import Holder
from cutline.control.shapes import shaped_as
from cutline.lake.written import TableWritten
from cutline.results import ExtractResult, ReconcileResult, StageResult

RunStatus = Literal["running", "failed", "complete"]
StageStatus = Literal["running", "done", "failed"]
Decision = Literal["go", "no-go"]
Authority = Literal["legacy", "shadow", "new"]
R = TypeVar("R", bound=StageResult)


RedriveInputs = TypedDict("RedriveInputs", {"from": str})
"""Of a re-drive, the run whose exceptions it translates anew, beside what it chose of them."""


class RunInputs(TypedDict, total=False):
    """What is looked up in the inputs of a run; more is there to name it."""

    __pydantic_config__ = ConfigDict(extra="allow")  # type: ignore[misc]

    translation: str
    translators: Mapping[str, str]
    positions: Mapping[str, str]
    redrive: RedriveInputs


@dataclass(frozen=True)
class RunKey:
    """What a run is named by.

    `inputs` is JSON: the cut, the sources' positions, the translators' versions, the digest of the
    configuration. `run_id` is derived from it, so the same inputs are the same run.
    """

    context: str
    region: str
    run_id: str
    inputs: Mapping[str, Any]


@dataclass(frozen=True)
class StageRecord:
    """One stage of one run. What is not known yet is None; `seconds` is wall time."""

    name: str
    status: StageStatus
    started_at: dt.datetime
    finished_at: dt.datetime | None
    seconds: float | None
    rows_in: int | None
    rows_out: int | None
    digest: str | None
    result: StageResult | None
    error: str | None = None


@dataclass(frozen=True)
class RunRecord:
    """One run. Times are UTC; `stages` are those that were started, in the order of a run.

    `recorded_at` is the knowledge time it was first begun with. `error` says why it failed.
    A run that says `running` while nobody holds its slice was interrupted.
    """

    run_id: str
    context: str
    region: str
    status: RunStatus
    decision: Decision | None
    decided_by: str | None
    created_at: dt.datetime
    recorded_at: dt.datetime
    finished_at: dt.datetime | None
    inputs: Annotated[Mapping[str, Any], shaped_as(RunInputs)]
    error: str | None
    stages: tuple[StageRecord, ...] = ()

    def results(self) -> dict[str, StageResult]:
        """What the stages that are done handed on, by stage."""
        return {
            stage.name: stage.result
            for stage in self.stages
            if stage.status == "done" and stage.result is not None
        }

    def tables(self) -> list[TableWritten]:
        """The tables of the stages that are done, in the order in which they were written."""
        return [table for result in self.results().values() for table in result.tables]

    def book(self, name: str) -> dict[str, int]:
        """One book, such as `dispositions`, summed over the stages that are done; empty if not kept
        yet."""
        total: dict[str, int] = {}
        for result in self.results().values():
            for entry, n in result.counts.get(name, {}).items():
                total[entry] = total.get(entry, 0) + n
        return total

    def outcomes(self) -> dict[str, dict[str, int]]:
        """How often each class of agreement was found, by outcome."""
        reconciled = self.result_of(ReconcileResult)
        counts = reconciled.outcome_counts if reconciled else {}
        return {name: dict(classes) for name, classes in counts.items()}

    def watermarks(self) -> dict[str, dt.datetime]:
        """By source, the commit time of its newest change, in UTC where it tells no zone."""
        extract = self.result_of(ExtractResult)
        times = {n: source.watermark for n, source in (extract.extracts if extract else {}).items()}
        return {name: at for name, at in times.items() if at is not None}

    def result_of(self, model: type[R]) -> R | None:
        """What the stage of that model handed on; null if it is not done."""
        result = self.results().get(model.stage)
        return result if isinstance(result, model) else None


def newest_complete(records: Iterable[RunRecord]) -> RunRecord | None:
    """The first complete run: the newest, of runs that are newest first. Null without one."""
    return next((record for record in records if record.status == "complete"), None)


def newest_go(records: Iterable[RunRecord]) -> RunRecord | None:
    """The first complete run that is GO: the newest, of runs that are newest first. Null without
    one."""
    return next((r for r in records if r.status == "complete" and r.decision == "go"), None)


@dataclass(frozen=True)
class SliceStatus:
    """One slice: its newest run (None if it never had one), and who works on it now, if anybody.

    `authority` is who decides for the slice: `legacy` as long as nothing was promoted.
    """

    context: str
    region: str
    last_run: str | None
    status: RunStatus | None
    decision: Decision | None
    runs: int
    authority: Authority
    holder: Holder | None
