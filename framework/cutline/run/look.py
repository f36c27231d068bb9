"""A look at what a slice's sources hold, without a run: nothing of it is kept."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from cutline.control import Control
from cutline.lake.lake import Lake, run_folder
from cutline.plugins import choose_translation
from cutline.project.loaded import LoadedProject
from cutline.results import EXTRACT
from cutline.run.base import Beginning, base_of_look, opened_base
from cutline.run.earlier import earlier_extract
from cutline.run.naming import run_key
from cutline.stage import Stage
from cutline.translator.translation import Translation
from cutline.workspace import Workspace

if TYPE_CHECKING:
    from cutline.sources.frozen import FrozenInputs

_LOOKS, _LOOK = "_looks", "_look"


@contextmanager
def temporary_stages(
    project: LoadedProject,
    context: str,
    region: str,
    stages: Sequence[Stage],
    *,
    goes_on: bool = False,
) -> Iterator[Workspace]:
    """A workspace whose first stages are done, in a folder of the lake that is removed again.

    What a run of the slice has extracted from the same inputs is taken over; with `goes_on` what
    its newest complete run holds is not read again either, where stages that advance can go on from
    it. No run is recorded, no lease is taken, and what the translators mean is not remembered.
    """
    from cutline.sources.frozen import freeze_inputs

    chosen = project.file.contexts[context].translation
    translation = choose_translation(chosen.use, chosen.major, context)
    with freeze_inputs(project, translation, region) as inputs:
        yield from _performed(project, translation, region, inputs, stages, goes_on)


def _performed(
    project: LoadedProject,
    translation: Translation,
    region: str,
    inputs: FrozenInputs,
    stages: Sequence[Stage],
    goes_on: bool,
) -> Iterator[Workspace]:
    from cutline.sources.frozen import with_captured_cuts

    positions = inputs.positions
    # Under no name of its own: what a run of these very inputs extracted serves as well.
    key = replace(run_key(project, translation, region, positions), run_id="")
    project = with_captured_cuts(project, positions)
    control = Control.peek(project.file.control, project.folder)
    now = dt.datetime.now(dt.UTC)
    name = uuid.uuid4().hex
    # What goes on from a run lies beside it, where its tables are looked for.
    folder = run_folder(project.lake, translation.context.name, region, f"{_LOOK}-{name}")
    lake = Lake(folder if goes_on else f"{project.lake.rstrip('/')}/{_LOOKS}/{name}")
    workspace = Workspace(
        run_id=_LOOKS,
        region=region,
        project=project,
        context=translation.context,
        translation=translation,
        lake=lake,
        recorded_at=now,
        positions=positions,
        done={},
        extract_times=dict.fromkeys(project.file.sources, now),
        earlier=partial(earlier_extract, project, control, key) if control else lambda _: None,
        handles=inputs.handles,
        frozen=inputs.files,
        tenures=control.tenures(translation.context.name, region) if control else (),
    )
    if control is not None and goes_on:
        begun = Beginning(control, project, translation, key, inputs.files, lambda _: None)
        record = base_of_look(begun)
        base = None if record is None else opened_base(project, record, workspace.spark)
        workspace = replace(workspace, base=base)
    try:
        with lake.scratch_space(workspace.spark):
            for stage in stages:
                done = {**workspace.done, stage.name: stage.perform(workspace)}
                workspace = replace(workspace, done=done)
                if stage.name == EXTRACT:
                    inputs.close()
            yield workspace
    finally:
        lake.remove(workspace.spark)
