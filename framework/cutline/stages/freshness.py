"""Whether a tail reaches as far as it should: a connector that has stopped must not look quiet."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence

from cutline.errors import RunFailed
from cutline.sources.changes.heartbeats import newest_heartbeat
from cutline.sources.files import local_path, matching_files
from cutline.sources.kafka import newest_of_topic
from cutline.sources.used_tables import UsedSource
from cutline.workspace import Workspace


def refuse_stale(
    workspace: Workspace,
    sources: Sequence[UsedSource],
    newest: Mapping[str, str | None],
    times: Mapping[str, dt.datetime],
) -> None:
    """RunFailed, naming the source and its watermark, if a tail is older than it may be.

    The watermark is the commit time of the newest change of any table or region, or the newest
    heartbeat if that is later. `newest` has the former by source, as ISO text, null where there is
    none; `times` are when each extract was taken.
    """
    for source in sources:
        section = source.section.changes
        if section is None or section.at_most_behind is None:
            continue
        change = newest[source.name]
        change_times = [] if change is None else [dt.datetime.fromisoformat(change)]
        if section.heartbeats is not None:
            key = f"sources.{source.name}.changes.heartbeats"
            topic = newest_of_topic(workspace.project, section, section.heartbeats, key)
            place = local_path(workspace.project, section.heartbeats, key)
            files = matching_files(place, key) if topic is None else []
            scratch = workspace.lake.scratch(f"_heartbeats/{source.name}")
            beat = newest_heartbeat(workspace.spark, files, key, scratch, topic)
            if beat is None:
                raise _stale(source.name, "no heartbeat has come")
            change_times.append(beat)
        extract_time = times[source.name]
        mark = max((_utc(at) for at in change_times), default=None)
        if mark is None:
            raise _stale(source.name, "there is no change, and no heartbeat is declared")
        if extract_time - mark > section.at_most_behind:
            raise _stale(
                source.name,
                f"its watermark is {mark.isoformat()}, {extract_time - mark} before the extract, "
                f"and {section.at_most_behind} are allowed",
            )


def _stale(source: str, why: str) -> RunFailed:
    return RunFailed(
        f"sources.{source}.changes: the tail is stale: {why}",
        left_behind="Nothing was written.",
        next_step="See whether its connector still runs, export the changes again, and run the "
        "same command; or raise `at_most_behind` if the source was at rest.",
    )


def _utc(at: dt.datetime) -> dt.datetime:
    return at.replace(tzinfo=dt.UTC) if at.tzinfo is None else at.astimezone(dt.UTC)
