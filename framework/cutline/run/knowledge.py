"""When the extracts were taken: the moment up to which a run can know anything."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping

from cutline.control.control import Control
from cutline.project.loaded import LoadedProject


def extract_times(
    project: LoadedProject,
    control: Control,
    context: str,
    region: str,
    positions: Mapping[str, str],
) -> dict[str, dt.datetime]:
    """When each source's extract was taken, in UTC.

    As the project declares it; else the moment at which this input was first read here, which the
    control database remembers, so that a run that is repeated keeps it.
    """
    from cutline.sources.frozen import changes_input, source_position

    now = dt.datetime.now(dt.UTC)
    times: dict[str, dt.datetime] = {}
    for name, source in project.file.sources.items():
        if source.extracted_at is not None:
            times[name] = source.extracted_at.astimezone(dt.UTC)
        elif name in positions or changes_input(name) in positions:
            position = source_position(positions, name)
            times[name] = control.remember_extract(context, region, name, position, now)
    return times


def recorded_at(times: Mapping[str, dt.datetime], cut: dt.datetime | None) -> dt.datetime:
    """The run's knowledge time: the latest extract, but not before the cut up to which it tells.

    `cut` is null where that is no moment.
    """
    moments = [*times.values()]
    if cut is not None:
        moments.append(cut.astimezone(dt.UTC))
    return max(moments)
