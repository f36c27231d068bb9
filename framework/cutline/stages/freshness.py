"""Whether a tail reaches as far as it should: a connector that has stopped must not look quiet."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from cutline.errors import RunFailed
from cutline.sources.files import found, local, opened
from cutline.sources.used import UsedSource
from cutline.workspace import Workspace


def refuse_stale(
    workspace: Workspace,
    sources: Sequence[UsedSource],
    logs: Mapping[str, Any],
    times: Mapping[str, dt.datetime],
) -> None:
    """RunFailed, naming the source and its watermark, if a tail is older than it may be.

    The watermark is the commit time of the newest change, or the newest heartbeat if that is later.
    `logs` are `seen_logs`, `times` when each extract was taken.
    """
    for source in sources:
        section = source.section.changes
        if section is None or section.at_most_behind is None:
            continue
        newest = logs[source.name]["newest"]
        known = [] if newest is None else [dt.datetime.fromisoformat(newest)]
        if section.heartbeats is not None:
            key = f"sources.{source.name}.changes.heartbeats"
            beats = _newest_beat(found(local(workspace.project, section.heartbeats, key), key), key)
            if beats is None:
                raise _stale(source.name, "no heartbeat has come")
            known.append(beats)
        taken = times[source.name]
        mark = max((_utc(at) for at in known), default=None)
        if mark is None:
            raise _stale(source.name, "there is no change, and no heartbeat is declared")
        if taken - mark > section.at_most_behind:
            raise _stale(
                source.name,
                f"its watermark is {mark.isoformat()}, {taken - mark} before the extract, and "
                f"{section.at_most_behind} are allowed",
            )


def _stale(source: str, why: str) -> RunFailed:
    return RunFailed(
        f"sources.{source}.changes: the tail is stale: {why}",
        left_behind="What was read is kept, and not used.",
        next_step="See whether its connector still runs, export the changes again, and run the "
        "same command; or raise `at_most_behind` if the source was at rest.",
    )


def _newest_beat(files: Iterable[Path], key: str) -> dt.datetime | None:
    """The moment of the newest heartbeat; null if there is none. Other lines are passed over."""
    newest: int | None = None
    for path in files:
        with opened(path, key) as lines:
            for line in lines:
                moment = _moment(line)
                if moment is not None and (newest is None or moment > newest):
                    newest = moment
    return None if newest is None else dt.datetime.fromtimestamp(newest / 1000, dt.UTC)


def _moment(line: bytes) -> int | None:
    try:
        record = json.loads(line)
    except ValueError:
        return None
    inner = record.get("payload", record) if isinstance(record, dict) else None
    moment = inner.get("ts_ms") if isinstance(inner, dict) else None
    return moment if isinstance(moment, int) else None


def _utc(at: dt.datetime) -> dt.datetime:
    return at.replace(tzinfo=dt.UTC) if at.tzinfo is None else at.astimezone(dt.UTC)
