"""A slice whose breaks are to be explained, of any size: made by Spark, and not row by row here."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from cutline.lake.lake import Lake
from cutline.project.loaded import LoadedProject
from cutline.project.model import ProjectFile
from cutline.results import EXTRACT, ExtractResult
from cutline.spark.no_rows import no_rows
from cutline.tables import (
    BREAKS,
    DISPOSITIONS,
    EXCEPTIONS,
    OUTCOMES,
    REFUSED,
    TIMELINE,
    Column,
    Table,
)
from cutline.tables.change import changes
from cutline.translator import Translation
from cutline.workspace import Workspace
from cutline_reconciliation.explain.explain import ExplainedBreaks, explain
from support.sample_project import document
from support.shop import MORNING, SHOP, OldOrder, Orders


@dataclass(frozen=True)
class Drift:
    """So many orders, of which the first so many differ in a column, under so many rules."""

    subjects: int
    broken: int
    rules: int = 1


def drifted(spark: SparkSession, folder: Path, drift: Drift) -> Workspace:
    """A workspace with the tables that explaining reads: a row per order, and no lines."""
    lake = Lake(str(folder / "lake"))
    orders = spark.range(drift.subjects).selectExpr("id", "concat('S', id) AS subject")
    disposed = orders.selectExpr(
        "'old' AS source", "'orders' AS table", "concat('[\"', subject, '\"]') AS key",
        "'r' AS op", "'0' AS position", "subject", "'order' AS aggregate",
        "'quarantined' AS disposition", f"concat('rule-', id % {drift.rules}) AS rule",
        "array() AS checks", "1 AS events",
    )  # fmt: skip
    _write(spark, lake, DISPOSITIONS, disposed)
    image = (
        "named_struct('no', subject, 'status', substr('NRC', CAST(id % 3 AS int) + 1, 1),"
        f" 'cents', id, 'channel', if(id < {drift.broken}, 'web', 'store'), 'placed_at', NULL,"
        " 'released_at', NULL)"
    )
    table = changes(OldOrder.source(), OldOrder.table(), OldOrder.ddl())
    changed = orders.selectExpr(
        "'old' AS source", "'orders' AS table", "concat('[\"', subject, '\"]') AS key",
        "'r' AS op", f"{image} AS after", "'0' AS position", "timestamp '2026-01-01' AS extract_time",
        "array() AS defects",
    )  # fmt: skip
    _write(spark, lake, table, changed)
    for empty in (TIMELINE, REFUSED, OUTCOMES):
        lake.write(no_rows(spark, empty.ddl), empty)
    for side in ("state", "truth"):
        of_side = Table(f"{side}_order", "one order", (Column("subject", "string", ""),))
        lake.write(orders.select("subject"), of_side)
    file = ProjectFile.model_validate(document())
    return Workspace(
        run_id="run-1",
        region="north",
        project=LoadedProject(file, folder, folder / "c.yaml", "north"),
        context=SHOP,
        translation=Translation("shop", "1.0.0", SHOP, (Orders,)),
        lake=lake,
        recorded_at=MORNING,
        positions={},
        done={EXTRACT: ExtractResult(rows_in=0, rows_out=0)},
    )


def explained_drift(spark: SparkSession, workspace: Workspace, drift: Drift) -> ExplainedBreaks:
    """The breaks of the drift, explained: `missing` where they have many rules, else `different`."""
    broken = spark.range(drift.broken).selectExpr("concat('S', id) AS subject")
    missing = drift.rules > 1
    breaks = broken.selectExpr(
        f"'{'record' if missing else 'state'}' AS level", "'order' AS name", "'order' AS aggregate",
        "subject", f"'{'missing' if missing else 'different'}' AS kind",
        f"{'NULL' if missing else repr('status')} AS column", "'released' AS legacy",
        "'shipped' AS new",
    )  # fmt: skip
    differing = broken.selectExpr("'order' AS name", "subject", "'changed' AS class")
    return explain(workspace, _as(spark, BREAKS, breaks), differing, no_rows(spark, EXCEPTIONS.ddl))


def _write(spark: SparkSession, lake: Lake, table: Table, rows: DataFrame) -> None:
    lake.write(_as(spark, table, rows), table)


def _as(spark: SparkSession, table: Table, rows: DataFrame) -> DataFrame:
    """The rows in the table's columns: those that they lack are null."""
    return rows.selectExpr(
        *(
            f"CAST({f'`{c.name}`' if c.name in rows.columns else 'NULL'} AS {c.type}) AS `{c.name}`"
            for c in table.columns
        )
    )
