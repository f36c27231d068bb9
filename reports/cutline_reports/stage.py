"""The stage `report`: its HTML and JSON files. Importing it does not load Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cutline.results import RECONCILE, ReconcileResult, ReportResult
from cutline.results import REPORT as NAME
from cutline.stage import Stage

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from cutline.project.loaded import LoadedProject
    from cutline.translator.translation import Translation
    from cutline.workspace import Workspace

FOLDER = "report"


def run_report(workspace: Workspace) -> ReportResult:
    """Write `report/report.html` and `report/report.json` into the run's folder, and publish.

    The result's rows in are the rows that reconciliation wrote, rows out the published records.
    """
    from cutline.lake.keep import write_files
    from cutline.lake.unchanged import sha256
    from cutline.results.reconcile import GO
    from cutline.spark.parallel import side_by_side
    from cutline.stages.publish import publish
    from cutline_reports.as_json import as_json
    from cutline_reports.gather import gather
    from cutline_reports.html import as_html

    go = workspace.result_of(ReconcileResult).decision == GO
    report, published = side_by_side(
        workspace.spark, lambda: gather(workspace), lambda: publish(workspace, go=go)
    )
    workspace.lake.check_lease()
    # The page is written last: where it exists, the whole report does.
    files = {"report.json": as_json(report), "report.html": as_html(report)}
    write_files(workspace.lake.path(FOLDER), files, "the report")
    return ReportResult(
        rows_in=sum(table.rows for table in workspace.done[RECONCILE].tables),
        rows_out=sum(published.values()),
        report=f"{FOLDER}/report.html",
        files={f"{FOLDER}/{name}": sha256(text) for name, text in files.items()},
        published=published,
    )


def _check_schemas(
    project: LoadedProject, translation: Translation, region: str, spark: SparkSession
) -> None:
    from cutline.stages.payload_schemas import refuse_incompatible_schemas

    del region, spark  # The same for all.
    refuse_incompatible_schemas(project, translation.context)


REPORT = Stage(NAME, run_report, _check_schemas)
