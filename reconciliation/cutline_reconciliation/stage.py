"""The stage `reconcile`. Importing it does not load Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cutline.results import RECONCILE as NAME
from cutline.results import StageResult
from cutline.stage import Stage

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from cutline.project.loaded import LoadedProject
    from cutline.translator.translation import Translation
    from cutline.workspace import Workspace


def _run_reconcile(workspace: Workspace) -> StageResult:
    from cutline_reconciliation.reconcile import run_reconcile

    return run_reconcile(workspace)


def check_reconciliation(
    project: LoadedProject, translation: Translation, region: str, spark: SparkSession
) -> None:
    """ConfigurationError for SQL of an outcome or a waiver that cannot be asked."""
    from cutline_reconciliation.levels.outcome_sql import check_outcomes
    from cutline_reconciliation.waivers.check import check_waivers

    context = translation.context
    check_outcomes(context, spark)
    check_waivers(project.waivers_of(context.name, region), context, spark)


RECONCILE = Stage(NAME, _run_reconcile, check_reconciliation)
