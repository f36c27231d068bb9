"""A run that was made, as the stages that made it saw it."""

from __future__ import annotations

from collections.abc import Mapping

from cutline.control import RunRecord
from cutline.errors import ConfigurationError
from cutline.lake.lake import run_folder
from cutline.lake.recorded import RecordedLake
from cutline.plugins import choose_translation
from cutline.project.loaded import LoadedProject
from cutline.run.naming import run_key
from cutline.workspace import Workspace


def lake_of(project: LoadedProject, record: RunRecord) -> RecordedLake:
    """The tables of a run, each held against what its stage recorded before it is read."""
    folder = run_folder(project.lake, record.context, record.region, record.run_id)
    recorded = {stage: result.tables for stage, result in record.results().items()}
    return RecordedLake(folder, run_id=record.run_id, recorded=recorded)


def workspace_of(project: LoadedProject, record: RunRecord) -> Workspace:
    """The workspace of a run, with the results of its stages; `project` is as its region sees it.

    ConfigurationError if sources, project or plugins are no longer what the run is named by.
    """
    from cutline.sources import digest_sources
    from cutline.sources.frozen import live_inputs, with_captured_cuts

    chosen = project.file.contexts[record.context].translation
    translation = choose_translation(chosen.use, chosen.major, record.context)
    recorded = record.inputs.get("positions", {})
    # What moves is named by how far the run read it, whatever came since.
    frozen = {live.name for live in live_inputs(project, translation, record.region)}
    positions = digest_sources(project, translation, record.region)
    positions |= {name: at for name, at in recorded.items() if name in frozen}
    redrive, after = record.inputs.get("redrive"), record.inputs.get("after")
    now = run_key(project, translation, record.region, positions, redrive, after).run_id
    if now != record.run_id:
        raise ConfigurationError(
            f"Run {record.run_id} was made of other sources, settings or plugins than are here now",
            left_behind="Nothing was changed.",
            next_step=f"What is here now is run {now}: certify that one.",
        )
    return workspace_as_recorded(with_captured_cuts(project, positions), record, positions)


def workspace_as_recorded(
    project: LoadedProject, record: RunRecord, positions: Mapping[str, str] | None = None
) -> Workspace:
    """The same without asking whether sources, project and plugins are still those: for what only
    reads the tables of the run. Without positions it has none."""
    chosen = project.file.contexts[record.context].translation
    translation = choose_translation(chosen.use, chosen.major, record.context)
    return Workspace(
        run_id=record.run_id,
        region=record.region,
        project=project,
        context=translation.context,
        translation=translation,
        lake=lake_of(project, record),
        recorded_at=record.recorded_at,
        positions=positions or {},
        done=record.results(),
    )
