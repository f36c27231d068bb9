"""`cutline compare-runs`: two small runs in the lake, and what is refused before any work."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from cutline.control import Control, RunKey
from cutline.lake.lake import Lake, run_folder
from cutline.lake.written import TableWritten
from cutline.project import LoadedProject, load
from cutline.results import StageResult
from cutline.tables import BREAKS, TIMELINE, Column, Table
from support.command_line import CommandLine
from support.sample_project import document, write
from support.site_runs import STORY, project_with_runs

T0 = dt.datetime(2026, 11, 1, 6, tzinfo=dt.UTC)
STATE = Table(
    "state_customer_order",
    "one subject",
    (Column("subject", "string", ""), Column("status", "string", "")),
)


def event(fact: str, data: str) -> dict[str, Any]:
    return {
        "id": f"id-{fact}", "migfactkey": fact, "aggregate": "customer_order", "type": "OrderPlaced",
        "subject": "SO-1", "time": T0, "data": data, "migconfidence": "exact",
        "migtimebasis": "effective",
    }  # fmt: skip


def broken(number: int) -> dict[str, Any]:
    return {
        "id": f"b{number}", "level": "record", "name": "customer_order", "kind": "missing",
        "aggregate": "customer_order", "subject": f"SO-{number}",
    }  # fmt: skip


def reconciled(
    spark: SparkSession, project: LoadedProject, run_id: str, version: str, *rows: Any
) -> None:
    """A run whose tables are `rows`: of the timeline, of the states, and of breaks."""
    lake = Lake(run_folder(project.lake, "fulfilment", "eu-west", run_id))
    tables = (TIMELINE, STATE, BREAKS)
    for table, of_table in zip(tables, rows, strict=True):
        values = [tuple(row.get(name) for name in table.names) for row in of_table]
        schema = ", ".join(f"`{c.name}` {c.type}" for c in table.columns)
        lake.write(spark.createDataFrame(values, schema), table)
    control = Control.open(project.file.control, project.folder)
    with control.lease("fulfilment", "eu-west") as lease:
        inputs = {"translation": f"retail {version}", "translators": {"erp-orders": version}}
        control.begin(RunKey("fulfilment", "eu-west", run_id, inputs), T0, lease)
        written = tuple(
            TableWritten(t.name, len(r), "d") for t, r in zip(tables, rows, strict=True)
        )
        done = StageResult(rows_in=1, rows_out=1, tables=written)
        control.stage_started(run_id, "merge", lease)
        control.stage_done(run_id, "merge", done, "d" * 32, 1.0, lease)


def test_two_runs_and_their_page_in_a_site(
    spark: SparkSession, tmp_path: Path, command_line: CommandLine
) -> None:
    project = load(write(tmp_path / "p", document()))
    placed, paid = event("1", '{"total":"5.00"}'), event("2", "{}")
    reconciled(
        spark, project, "run-a1", "1.0.0",
        [placed], [{"subject": "SO-1", "status": "NEW"}], [broken(1), broken(2)],
    )  # fmt: skip
    reconciled(
        spark, project, "run-b2", "2.0.0",
        [placed | {"data": '{"total":"6.00"}'}, paid], [{"subject": "SO-1", "status": "OLD"}],
        [broken(2)],
    )  # fmt: skip
    site = tmp_path / "site"
    options = ("--index", site, "--project", project.folder)
    shown = command_line("compare-runs", "run-a", "run-b", *options)
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.splitlines()[0] == (
        "Events: 1 changed, 1 added; states of customer_order: 1 changed; breaks: 1 fixed."
    )
    lines = [" ".join(line.split()) for line in shown.stdout.splitlines()]
    assert "events changed OrderPlaced data.total 1" in lines
    assert "states changed status 1" in lines
    assert "breaks fixed record customer_order missing 1" in lines
    assert "breaks persisting record customer_order missing 1" in lines
    page = site / "fulfilment" / "eu-west" / "run-b2" / "compared-with-run-a1.html"
    assert shown.stdout.splitlines()[-1] == str(page)
    compared = json.loads(page.with_suffix(".json").read_text())
    assert compared["inputs_differ"] == ["translation", "translators"]
    assert [run["translators"]["erp-orders"] for run in (compared["left"], compared["right"])] == [
        "1.0.0",
        "2.0.0",
    ]
    index = (site / "index.html").read_text("utf-8")
    assert 'href="fulfilment/eu-west/run-b2/compared-with-run-a1.html"' in index


def test_runs_that_cannot_be_compared_are_refused(
    tmp_path: Path, command_line: CommandLine
) -> None:
    folder = project_with_runs(tmp_path / "p").folder
    west, east = STORY[0].run_id, STORY[4].run_id
    for left, right, says in (
        (west, east, "only runs of one slice are compared"),
        (west, STORY[3].run_id, "has no table 'breaks' of a completed stage"),
        (west, "nothing", "No run's id begins with 'nothing'"),
    ):
        options = ("--index", tmp_path / "site", "--project", folder)
        refused = command_line("compare-runs", left, right, *options)
        assert (refused.returncode, refused.stdout) == (2, "")
        assert says in refused.stderr
    assert not (tmp_path / "site").exists()
