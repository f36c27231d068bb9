"""The status of slices, with those that were never run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from cutline.control.records import Authority, Decision, SliceStatus
from cutline.display import ResultList
from cutline.secrets import document_as_written

INTERRUPTED = "interrupted"
"""The status of a run that says `running` while nobody works on its slice."""


@dataclass(frozen=True)
class SliceOverview:
    """Where one slice stands: its newest run, who decides for it, who works on it now.

    `status` is that of the newest run, `interrupted` where nobody works on it any more, or `never
    run`. `held_by` names the process that works on the slice; None if none does.
    """

    context: str
    region: str
    last_run: str | None
    status: str
    decision: Decision | None
    runs: int
    authority: Authority
    held_by: str | None

    @document_as_written
    def as_json(self) -> dict[str, Any]:
        """An object of `cutline status --json`."""
        return {
            "context": self.context,
            "slice": self.region,
            "last_run": self.last_run,
            "status": self.status,
            "decision": self.decision,
            "runs": self.runs,
            "authority": self.authority,
            "held_by": self.held_by,
        }


def slice_overviews(
    declared: Iterable[tuple[str, str]], statuses: Iterable[SliceStatus]
) -> ResultList[SliceOverview]:
    """One overview per slice: the declared ones in their order, then what else was ever run."""
    by_slice = {(status.context, status.region): status for status in statuses}
    order = dict.fromkeys([*declared, *by_slice])
    return ResultList(_overview(*names, by_slice.get(names)) for names in order)


def _overview(context: str, region: str, status: SliceStatus | None) -> SliceOverview:
    if status is None:
        return SliceOverview(context, region, None, "never run", None, 0, "legacy", None)
    return SliceOverview(
        context,
        region,
        status.last_run,
        _run_status(status),
        status.decision,
        status.runs,
        status.authority,
        str(status.holder) if status.holder else None,
    )


def _run_status(status: SliceStatus) -> str:
    if status.status is None:
        return "never run"
    return INTERRUPTED if status.status == "running" and not status.holder else status.status
