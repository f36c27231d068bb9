"""Performing a run with progress on stderr."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cutline.cli.opened import known_context
from cutline.cli.progress import progress
from cutline.project import load
from cutline.run.outcome import RunOutcome


def perform(folder: Path, context: str, region: str, only: Sequence[str] = ()) -> RunOutcome:
    """What came out of the slice's run; of `only` these stages, if any are named.

    What is written wrong is found before Spark is loaded.
    """
    project = load(folder, region)
    known_context(project, context)

    from cutline.cli.wiring import STAGES
    from cutline.run.runner import run

    with progress() as watching:
        return run(project, context, region, STAGES, only, watching)
