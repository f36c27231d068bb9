"""The stages of a run with their functions. Imported when a run begins, because it loads Spark."""

from __future__ import annotations

from cutline.stage import Stage
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
