"""The inputs of a run, frozen, and the run that they make: a new or an interrupted one."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING

from cutline.control import Control, RunKey, RunRecord, newest_complete
from cutline.project.loaded import LoadedProject
from cutline.results import EXTRACT, MERGE
from cutline.run.again import standing_key
from cutline.run.base import inputs_of_base
from cutline.run.naming import run_key
from cutline.translator.translation import Translation

if TYPE_CHECKING:
    from cutline.sources.frozen import EarlierPositions, FrozenInputs

_MOST_RUNS = 3
"""How many of a slice's newest runs are asked whether they go on."""


@contextlib.contextmanager
def frozen_run(
    project: LoadedProject,
    translation: Translation,
    region: str,
    *,
    goes_on: bool = False,
    again: bool = False,
) -> Iterator[tuple[RunKey, FrozenInputs]]:
    """The run that the inputs of a slice make, and the inputs, which stay as they are until read.

    Inputs that move are read as far as the newest of the slice's interrupted runs was to read them,
    if all else that names it is as it was. A run that `goes_on` has the snapshots of the slice's
    newest complete run, and reads topics behind what that one read. `again` makes a run again
    that another of the slice overtook. ConfigurationError for an input that is missing, or
    cannot be reached or read.
    """
    from cutline.sources.frozen import freeze_inputs

    earlier = _interrupted(project, translation, region)
    base = inputs_of_base(project, translation.context.name, region) if goes_on else None
    with freeze_inputs(project, translation, region, earlier, base) as inputs:
        named = partial(run_key, project, translation, region, inputs.positions)
        control = Control.peek(project.file.control, project.folder)
        key = named()
        if control is not None:
            key = standing_key(control, key, lambda run_id: named(after=run_id), again=again)
        yield key, inputs


def _interrupted(
    project: LoadedProject, translation: Translation, region: str
) -> list[EarlierPositions]:
    """The positions of the slice's newest runs that are not complete, newest first.

    A run whose extract failed is not among them: what it was to read may be the reason.
    """
    from cutline.sources.frozen import EarlierPositions, live_inputs
    from cutline.topics.live import LIVE

    if not live_inputs(project, translation, region):
        return []
    control = Control.peek(project.file.control, project.folder)
    runs = control.runs(translation.context.name, region) if control else []
    newest, complete = runs[:_MOST_RUNS], newest_complete(runs)

    def is_run(record: RunRecord, positions: Mapping[str, str]) -> bool:
        after = record.inputs.get("after")
        if after is not None and (complete is None or complete.run_id != after):
            return False
        key = run_key(project, translation, region, positions, after=after)
        return key.run_id == record.run_id

    def is_read(record: RunRecord, name: str) -> bool:
        # Live events are read where they meet history, all else before.
        return (MERGE if name.startswith(LIVE) else EXTRACT) in record.results()

    return [
        EarlierPositions(
            record.inputs.get("positions", {}), partial(is_run, record), partial(is_read, record)
        )
        for record in newest
        if record.status != "complete"
        and not any(s.name == EXTRACT and s.status == "failed" for s in record.stages)
    ]
