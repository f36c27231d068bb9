"""The stages of a run with their functions. Imported when a run begins, because it loads Spark."""

from __future__ import annotations

from cutline.stage import Stage
from cutline.stages.advance.extract import ADVANCE_EXTRACT
from cutline.stages.advance.merge import ADVANCE_MERGE
from cutline.stages.advance.project import ADVANCE_PROJECT
from cutline.stages.advance.translate import ADVANCE_TRANSLATE
from cutline.stages.extract import EXTRACT_STAGE
from cutline.stages.merge import MERGE_STAGE
from cutline.stages.project import PROJECT_STAGE
from cutline.stages.translate import TRANSLATE_STAGE
from cutline_reconciliation.stage import RECONCILE
from cutline_reports.stage import REPORT

STAGES: tuple[Stage, ...] = (
    EXTRACT_STAGE,
    TRANSLATE_STAGE,
    MERGE_STAGE,
    PROJECT_STAGE,
    RECONCILE,
    REPORT,
)
"""The stages of a run, in order."""

ADVANCE_STAGES: tuple[Stage, ...] = (
    ADVANCE_EXTRACT,
    ADVANCE_TRANSLATE,
    ADVANCE_MERGE,
    ADVANCE_PROJECT,
    RECONCILE,
    REPORT,
)
"""The same stages of a run that may go on from another: each does whole what it must."""
