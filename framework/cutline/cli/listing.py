"""Runs as plain values, for a list."""

from __future__ import annotations

import datetime as dt
from typing import Any

from cutline.cli.standing import INTERRUPTED
from cutline.control import Control, RunRecord


def listed(control: Control, context: str, region: str) -> list[dict[str, Any]]:
    """One mapping per run, newest first. `seconds` is the work of the stages that are done."""
    held = any(
        s.holder is not None for s in control.slices() if (s.context, s.region) == (context, region)
    )
    return [_run(record, held) for record in control.runs(context, region)]


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
