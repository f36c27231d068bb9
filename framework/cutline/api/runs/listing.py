"""The runs of a slice, for a list."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from cutline.api.moment import moment_text
from cutline.api.runs.status import INTERRUPTED
from cutline.control import Control, Decision, RunRecord, Trend
from cutline.display import ResultList
from cutline.secrets import document_as_written

_FIGURES = ("open", "opened", "reopened", "fixed")


@dataclass(frozen=True)
class BreakTrend:
    """The breaks of a run by level: numbers that are `open`, `opened`, `reopened`, `fixed` …

    `compared_with` is the previous run; None for the first one of a slice.
    """

    compared_with: str | None
    levels: Mapping[str, Mapping[str, int]]

    @property
    def open(self) -> int:
        """Breaks of this run at all levels."""
        return self._total("open")

    @property
    def opened(self) -> int:
        """Breaks of this run that no earlier run had."""
        return self._total("opened")

    @property
    def reopened(self) -> int:
        """Breaks of this run that an earlier run had, but not the previous one."""
        return self._total("reopened")

    @property
    def fixed(self) -> int:
        """Breaks of the previous run that this one has not."""
        return self._total("fixed")

    @document_as_written
    def as_json(self) -> dict[str, Any]:
        """Part of `cutline runs --json`."""
        total = {name: self._total(name) for name in _FIGURES}
        return {"compared_with": self.compared_with, **total, "levels": self.levels}

    def __str__(self) -> str:
        return f"{self.open:,} open (+{self.opened + self.reopened:,} -{self.fixed:,})"

    def _total(self, name: str) -> int:
        return sum(counts[name] for counts in self.levels.values())


@dataclass(frozen=True)
class RunSummary:
    """One run of a list. `seconds` is the work of the stages that are done, which are `stages`.

    `status` is `interrupted` where the run says `running` and nobody works on its slice. `breaks`
    is None until the run is reconciled. Times are UTC.
    """

    run_id: str
    context: str
    region: str
    status: str
    decision: Decision | None
    decided_by: str | None
    created_at: dt.datetime
    finished_at: dt.datetime | None
    seconds: float
    stages: tuple[str, ...]
    error: str | None
    breaks: BreakTrend | None

    @document_as_written
    def as_json(self) -> dict[str, Any]:
        """An object of `cutline runs --json`."""
        return {
            "run_id": self.run_id,
            "context": self.context,
            "slice": self.region,
            "status": self.status,
            "decision": self.decision,
            "decided_by": self.decided_by,
            "created_at": moment_text(self.created_at),
            "finished_at": moment_text(self.finished_at),
            "seconds": self.seconds,
            "stages": " ".join(self.stages),
            "error": self.error,
            "breaks": self.breaks.as_json() if self.breaks else None,
        }


def list_runs(control: Control, context: str, region: str) -> ResultList[RunSummary]:
    """The runs of a slice, newest first."""
    status = control.slice_status(context, region)
    is_held = status is not None and status.holder is not None
    trends = control.trends(context, region)
    return summaries(control.runs(context, region), trends, is_held=is_held)


def summaries(
    records: Iterable[RunRecord], trends: Mapping[str, Trend], *, is_held: bool
) -> ResultList[RunSummary]:
    """The summaries of runs of one slice, in their order; `is_held` says that it is worked on."""
    return ResultList(_summary(record, is_held, trends.get(record.run_id)) for record in records)


def _summary(record: RunRecord, is_held: bool, trend: Trend | None) -> RunSummary:
    done = [stage for stage in record.stages if stage.status == "done"]
    return RunSummary(
        run_id=record.run_id,
        context=record.context,
        region=record.region,
        status=INTERRUPTED if record.status == "running" and not is_held else record.status,
        decision=record.decision,
        decided_by=record.decided_by,
        created_at=record.created_at,
        finished_at=record.finished_at,
        seconds=round(sum(stage.seconds or 0 for stage in record.stages), 3),
        stages=tuple(stage.name for stage in done),
        error=record.error,
        breaks=None if trend is None else BreakTrend(trend.compared_with, trend.levels),
    )
