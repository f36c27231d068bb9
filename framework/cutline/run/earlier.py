"""What other runs of a slice extracted: the same inputs are not read twice."""

from __future__ import annotations

from cutline.control import Control, RunKey
from cutline.lake.lake import Lake, run_folder
from cutline.project.loaded import Project
from cutline.stage import EXTRACT
from cutline.workspace import EarlierExtract


def earlier_extracts(project: Project, control: Control, key: RunKey) -> dict[str, EarlierExtract]:
    """The extracts of the slice's other runs by what they were made from, of equal ones the newest.

    What became of the run does not matter, nor whether its tables are still in the lake.
    """
    found: dict[str, EarlierExtract] = {}
    for run in control.runs(key.context, key.region):
        lake = Lake(run_folder(project.lake, key.context, key.region, run.run_id))
        for stage in run.stages:
            result = stage.result
            if stage.name == EXTRACT and stage.status == "done" and result is not None:
                made_from = result.facts.get("made_from")
                if made_from and run.run_id != key.run_id:
                    found.setdefault(made_from, EarlierExtract(run.run_id, lake, result))
    return found
