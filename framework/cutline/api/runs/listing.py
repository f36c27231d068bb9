"""Runs as plain values, for a list."""

from __future__ import annotations

import datetime as dt
from typing import Any

from cutline.api.runs.status import INTERRUPTED
from cutline.control import Control, RunRecord, Trend


def listed(control: Control, context: str, region: str) -> list[dict[str, Any]]:
    """One mapping per run, newest first. `seconds` is the work of the stages that are done.

    `breaks` is null until it is reconciled; then `compared_with`, the run before or null, `levels`,
    what became of the breaks of each, and of all of them together `open`, `opened`, `reopened` and
    `fixed`.
    """
    held = any(
        s.holder is not None for s in control.slices() if (s.context, s.region) == (context, region)
    )
    trends = control.trends(context, region)
    return [
        _run(record, held) | {"breaks": _breaks(trends.get(record.run_id))}
        for record in control.runs(context, region)
    ]


def _breaks(trend: Trend | None) -> dict[str, Any] | None:
    if trend is None:
        return None
    told = ("open", "opened", "reopened", "fixed")
    total = {name: sum(counts[name] for counts in trend.levels.values()) for name in told}
    return {"compared_with": trend.compared_with, **total, "levels": trend.levels}


def in_words(breaks: dict[str, Any] | None) -> str | None:
    """What became of a run's breaks, as one cell: `5 open (+2 -1)`."""
    if breaks is None:
        return None
    return (
        f"{breaks['open']:,} open (+{breaks['opened'] + breaks['reopened']:,} -{breaks['fixed']:,})"
    )


def _run(record: RunRecord, held: bool) -> dict[str, Any]:
    interrupted = record.status == "running" and not held
    return {
        "run_id": record.run_id,
        "context": record.context,
        "slice": record.region,
        "status": INTERRUPTED if interrupted else record.status,
        "decision": record.decision,
        "decided_by": record.decided_by,
        "created_at": _moment(record.created_at),
        "finished_at": _moment(record.finished_at),
        "seconds": round(sum(s.seconds or 0 for s in record.stages), 3),
        "stages": " ".join(s.name for s in record.stages if s.status == "done"),
        "error": record.error,
    }


def _moment(at: dt.datetime | None) -> str | None:
    return None if at is None else f"{at:%Y-%m-%dT%H:%M:%SZ}"
