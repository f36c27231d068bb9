"""What other runs of a slice extracted: the same inputs are not read twice."""

from __future__ import annotations

from cutline.control import Control, RunKey
from cutline.lake.lake import Lake, run_folder
from cutline.project.loaded import LoadedProject
from cutline.results import EXTRACT, ExtractResult
from cutline.workspace import EarlierExtract


def earlier_extract(
    project: LoadedProject, control: Control, key: RunKey, input_digest: str
) -> EarlierExtract | None:
    """The newest extract that another run of the slice made of these inputs; None without one.

    What became of that run does not matter, nor whether its tables are still in the lake.
    """
    for run_id, result in control.results(key.context, key.region, EXTRACT):
        assert isinstance(result, ExtractResult)
        if run_id != key.run_id and result.input_digest == input_digest:
            folder = run_folder(project.lake, key.context, key.region, run_id)
            return EarlierExtract(run_id, Lake(folder), result)
    return None
