"""The choice of a run by its id, or by context and region."""

from __future__ import annotations

from pathlib import Path

from cutline.api.choice import control_of, next_command, require
from cutline.api.runs.find import find_run
from cutline.control import RunRecord
from cutline.errors import ConfigurationError
from cutline.project import LoadedProject, slices


def choose_run(
    project: LoadedProject, folder: Path, context: str | None, region: str | None, run: str | None
) -> RunRecord:
    """The run of that id; else the newest one of the slice.

    Context and region may be left out where the project has only one. ConfigurationError for what
    is not there, or does not go together.
    """
    control = control_of(project)
    if run is not None:
        record = find_run(control, run, folder)
        for kind, wanted, has in (
            ("context", context, record.context),
            ("region", region, record.region),
        ):
            if wanted not in (None, has):
                raise ConfigurationError(
                    f"Run {record.run_id} is of {kind} {has}, not {wanted}.",
                    next_step="Leave out --context and --region: the run tells them.",
                )
        return record
    contexts = dict.fromkeys(name for name, _ in slices(project.folder))
    of_context = _only("context", context, list(contexts))
    of_region = _only("region", region, list(project.file.regions))
    records = control.runs(of_context, of_region) if control else []
    if not records:
        start = next_command(f"run {of_context} --region {of_region}", folder)
        raise ConfigurationError(
            f"There was no run of {of_context} {of_region} yet.",
            next_step=f"Start one: {start}",
        )
    return records[0]


def _only(kind: str, wanted: str | None, names: list[str]) -> str:
    if wanted is None and len(names) == 1:
        return names[0]
    if wanted is None:
        raise ConfigurationError(
            f"cutline.yaml has several {kind}s: {', '.join(names)}.",
            next_step=f"Say which: --{kind} {names[0] if names else kind.upper()}",
        )
    return require(kind, wanted, names)
