"""A look at what a slice's sources hold, without a run: nothing of it is kept."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from cutline.control import Control
from cutline.lake.lake import Lake
from cutline.plugins import choose_translation
from cutline.project.loaded import LoadedProject
from cutline.results import EXTRACT
from cutline.run.earlier import earlier_extract
from cutline.run.naming import run_key
from cutline.stage import Stage
from cutline.translator.translation import Translation
from cutline.workspace import Workspace

if TYPE_CHECKING:
    from cutline.sources.frozen import FrozenInputs

_LOOKS = "_looks"


@contextmanager
def temporary_extract(
    project: LoadedProject, context: str, region: str, extract: Stage
) -> Iterator[Workspace]:
    """A workspace whose extract is done, in a folder of the lake that is removed again.

    What a run of the slice has extracted from the same inputs is taken over. No run is recorded,
    no lease is taken, and what the translators mean is not remembered.
    """
    from cutline.sources.frozen import freeze_inputs

    chosen = project.file.contexts[context].translation
    translation = choose_translation(chosen.use, chosen.major, context)
    with freeze_inputs(project, translation, region) as inputs:
        yield from _extracted(project, translation, region, inputs, extract)


def _extracted(
    project: LoadedProject,
    translation: Translation,
    region: str,
    inputs: FrozenInputs,
    extract: Stage,
) -> Iterator[Workspace]:
    from cutline.sources.frozen import with_captured_cuts

    positions = inputs.positions
    # Under no name of its own: what a run of these very inputs extracted serves as well.
    key = replace(run_key(project, translation, region, positions), run_id="")
    project = with_captured_cuts(project, positions)
    control = Control.peek(project.file.control, project.folder)
    now = dt.datetime.now(dt.UTC)
    lake = Lake(f"{project.lake.rstrip('/')}/{_LOOKS}/{uuid.uuid4().hex}")
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
    )
    try:
        with lake.scratch_space(workspace.spark):
            done = {EXTRACT: extract.perform(workspace)}
        inputs.close()
        yield replace(workspace, done=done)
    finally:
        lake.remove(workspace.spark)
