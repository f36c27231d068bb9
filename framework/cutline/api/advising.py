"""An advice, asked for by Python code or the command line."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

from cutline.advice import Advice, AdviceWork, Answers, advise, needs_of, span_of
from cutline.api.choice import control_of, next_command, require
from cutline.errors import ConfigurationError
from cutline.project import LoadedProject

Span = str | dt.timedelta | None


def answers_of(
    project: LoadedProject,
    needs: tuple[str, ...],
    *,
    horizon: Span,
    downtime: Span,
    side_effects: bool | None,
    archive: bool | None,
    replay: str | None,
) -> Answers:
    """What people say, refused by its name where it says nothing that is understood."""
    for name, value in (("side_effects", side_effects), ("archive", archive)):
        if not (value is None or isinstance(value, bool)):
            raise ConfigurationError(
                f"{name}: {value!r} is neither True nor False.",
                next_step=f"Write {name}=True, or leave it out where nobody knows.",
            )
    if replay is not None:
        require("replay", replay, project.file.replays)
    return Answers(
        needs=needs_of(needs),
        horizon=span_of("--horizon", horizon),
        downtime=span_of("--downtime", downtime),
        side_effects=side_effects,
        archive=archive,
        replay=replay,
    )


def advise_slice(
    project: LoadedProject, folder: Path, context: str, region: str, answers: Answers
) -> Advice:
    """The advice about a slice; a Spark session is ready, and used where there was a run."""

    def command(words: str) -> str:
        return next_command(words, folder)

    now = dt.datetime.now(dt.UTC)
    control = control_of(project)
    return advise(AdviceWork(project, control, context, region, answers, command, now))
