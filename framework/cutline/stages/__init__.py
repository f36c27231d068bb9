"""The steps of a run, in order: extract, translate, merge, project, reconcile, report."""

from cutline.stages.stage import ORDER, Stage, StageResult, TableWritten

__all__ = ["ORDER", "Stage", "StageResult", "TableWritten"]
