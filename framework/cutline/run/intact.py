"""Whether what a run left in the lake is as its stages wrote it."""

from __future__ import annotations

from cutline.control import RunRecord
from cutline.lake.unchanged import LakeCheck
from cutline.project.loaded import LoadedProject
from cutline.run.past import lake_of


def refuse_changed(project: LoadedProject, record: RunRecord) -> None:
    """RunFailed if a table or a report of the run differs from what its stage wrote."""
    lake = lake_of(project, record)
    unchanged = LakeCheck()
    for stage, result in record.results().items():
        unchanged.check_tables(lake, record.run_id, stage, result.tables)
        unchanged.check_files(lake, record.run_id, stage, result.files_beside())
