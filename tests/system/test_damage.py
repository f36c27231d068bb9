"""Damage to a finished lake: noticed before anything is said of it, made of it, or sent."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from pyspark.sql import SparkSession

import cutline
from cutline.cli.app import COMMANDS
from cutline.errors import RunFailed
from cutline.lake.manifest import write_manifest
from cutline.run.outcome import RunOutcome
from support.command_line import parser
from support.finished_demo import finished_demo
from support.resending import declare_resends
from support.whole_runs import REGION, run_here

Attack = Callable[[Path], None]
ORDERS = """
SELECT order_no AS subject, 'placed' AS status, channel, total_cents, ordered_at AS placed_at,
  0 AS paid_cents
FROM erp.orders WHERE region = :region AND ordered_at IS NOT NULL
"""


@pytest.fixture(scope="module")
def finished(
    spark: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, RunOutcome]:
    """A project, and a run of it that says GO."""
    demo = finished_demo(spark, tmp_path_factory.mktemp("finished") / "project")
    declare_resends(demo.project)
    with (demo.project / "cutline.yaml").open("a", encoding="utf-8") as file:
        overview = {"url": "sqlite:///overview.db", "queries": {"customer_order": ORDERS}}
        desk = {"url": "sqlite:///desk.db"}
        file.write(
            yaml.safe_dump({"rehydrations": {"desk": desk}, "rebuilds": {"overview": overview}})
        )
    project = cutline.Project.open(demo.project, spark=spark)
    project.rebuild("fulfilment", region=REGION, into="overview", max_different=1.0, feed=True)
    return demo.project, demo.second


def the_file(table: Path) -> Path:
    return max(table.glob("*.parquet"), key=lambda p: p.stat().st_size)


def rewritten(table: Path) -> None:
    """One value is changed, and the last rows are dropped."""
    file = the_file(table)
    rows = pq.read_table(file)
    column = next(n for n in rows.schema.names if pa.types.is_string(rows.schema.field(n).type))
    values = rows[column].to_pylist()
    changed = pa.array([f"{values[0]}!", *values[1:]], pa.string())
    rows = rows.set_column(rows.schema.get_field_index(column), column, changed)
    pq.write_table(rows.slice(0, max(1, rows.num_rows - 100)), file)


def with_a_manifest_of_its_own(table: Path) -> None:
    rewritten(table)
    write_manifest(str(table))


def cut_in_half(table: Path) -> None:
    file = the_file(table)
    with file.open("r+b") as handle:
        handle.truncate(file.stat().st_size // 2)


def added(table: Path) -> None:
    shutil.copy(the_file(table), table / "part-99999-more.parquet")


def added_below(table: Path) -> None:
    (table / "_day=1").mkdir()
    shutil.copy(the_file(table), table / "_day=1" / "part-0.parquet")


def lost(table: Path) -> None:
    the_file(table).unlink()


def other_bytes(table: Path) -> None:
    """Of the same length, and of the same time."""
    file = the_file(table)
    before = file.stat()
    content = bytearray(file.read_bytes())
    content[len(content) // 3] ^= 1
    file.write_bytes(content)
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


def without_manifest(table: Path) -> None:
    (table / "_manifest.json").unlink()


ATTACKS = [
    ("timeline", rewritten, "bytes, and"),
    ("timeline", with_a_manifest_of_its_own, "_manifest.json is another one"),
    ("events", cut_in_half, "bytes, and"),
    ("timeline", added, "file part-99999-more.parquet was added"),
    ("exception_history", added_below, "file _day=1/part-0.parquet was added"),
    ("state_customer_order", lost, "is missing"),
    ("timeline", other_bytes, "holds other bytes"),
    ("certificate", other_bytes, "holds other bytes"),
    ("breaks", without_manifest, "_manifest.json is missing"),
]


def texts(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*.jsonl")}


def certify(run_id: str, project: Path) -> int:
    with pytest.raises(SystemExit) as ended:
        parser()(["certify", run_id, "--project", str(project)])
    return int(str(ended.value.code or 0))


@pytest.mark.parametrize("report_removed", [False, True], ids=["", "report removed"])
@pytest.mark.parametrize(
    ("table", "attack", "says"), ATTACKS, ids=[f"{t} {a.__name__}" for t, a, _ in ATTACKS]
)
def test_a_run_stops_before_it_uses_or_publishes_what_was_changed(
    finished: tuple[Path, RunOutcome],
    tmp_path: Path,
    table: str,
    attack: Attack,
    says: str,
    report_removed: bool,
    capfd: pytest.CaptureFixture[str],
) -> None:
    project = shutil.copytree(finished[0], tmp_path / "copy")
    outcome = finished[1]
    run = project / Path(outcome.lake).relative_to(finished[0])
    attack(run / table)
    if report_removed:
        shutil.rmtree(run / "report")
    topics = texts(project / "topics")
    with pytest.raises(RunFailed) as stopped:
        run_here(project, "fulfilment", REGION)
    assert f"table {table} of run {outcome.record.run_id} is not what stage" in stopped.value.what
    assert says in stopped.value.what
    assert f"remove {run / table} " in stopped.value.next_step
    assert texts(project / "topics") == topics
    assert certify(outcome.record.run_id, project) == 3
    assert f"table {table} of run" in capfd.readouterr().err


def test_a_report_that_was_changed_is_no_report_of_the_run(
    finished: tuple[Path, RunOutcome], tmp_path: Path
) -> None:
    project = shutil.copytree(finished[0], tmp_path / "copy")
    outcome = finished[1]
    report = project / Path(str(outcome.report)).relative_to(finished[0])
    report.write_text(report.read_text(encoding="utf-8").replace("GO", "NO-GO"), encoding="utf-8")
    with pytest.raises(RunFailed, match=r"file report/report.html of run .* other bytes"):
        run_here(project, "fulfilment", REGION)
    assert certify(outcome.record.run_id, project) == 3


def test_the_way_out_leads_out(finished: tuple[Path, RunOutcome], tmp_path: Path) -> None:
    project = shutil.copytree(finished[0], tmp_path / "copy")
    run = project / Path(finished[1].lake).relative_to(finished[0])
    cut_in_half(run / "timeline")
    with pytest.raises(RunFailed) as stopped:
        run_here(project, "fulfilment", REGION)
    (named,) = re.findall(r"remove (\S+) and", stopped.value.next_step)
    shutil.rmtree(named)
    again = run_here(project, "fulfilment", REGION)
    assert not again.already_complete
    assert certify(again.record.run_id, project) == 0
    digests = [stage["digest"] for stage in again.as_json()["stages"]]
    assert digests == [stage["digest"] for stage in finished[1].as_json()["stages"]]


def test_a_copied_project_names_its_own_report(
    finished: tuple[Path, RunOutcome], tmp_path: Path
) -> None:
    project = shutil.copytree(finished[0], tmp_path / "copy")
    again = run_here(project, "fulfilment", REGION)
    assert again.already_complete
    assert str(again.report).startswith(str(project))
    assert again.report_sha256 == finished[1].report_sha256 is not None


CHANGES = "changes_erp_orders"
READING = [
    ("show {run} timeline", "timeline"),
    ("show {run} changes", CHANGES),
    ("explain O1 --run {run}", "state_customer_order"),
    ("explain O1 --run {run} --json", "links"),
    ("explain --cluster c --run {run}", "clusters"),
    ("waive c --run {run}", "clusters"),
    ("compare-runs {run} {run}", "state_customer_order"),
    ("coverage fulfilment --region {region}", CHANGES),
    ("certify {run}", "certificate"),
    ("certify {run} --prove", "verdicts"),
    ("rehearse fulfilment --region {region} --run {run} --share 0.05", "timeline"),
    ("resend fulfilment O1 --region {region} --to orders.repair --run {run}", "timeline"),
    ("rehydrate fulfilment --region {region} --into desk", "state_customer_order"),
    ("rebuild fulfilment --region {region} --into overview", "state_customer_order"),
    ("feed fulfilment --region {region} --into overview", "timeline"),
    ("advise fulfilment --region {region} --needs sequence", "timeline"),
    ("run fulfilment --region {region}", "outcomes"),
    ("advance fulfilment --region {region}", "timeline"),
]
"""Commands that read tables of a run, each with one of those that it reads."""
READING_NONE = {
    *(
        "status",
        "runs",
        "publications",
        "metrics",
        "readiness",
        "replay",
        "serve",
        "quotas",
        "unblock",
        "reports",
        "cut",
        "schema",
        "check",
        "profile",
        "compare",
        "translators",
        "demo",
        "share_classes",
        "clean",
    ),
}
"""Commands that read the control database, the sources, reports, or files that somebody names."""


def test_every_command_is_known_to_read_tables_or_not_to() -> None:
    reading = {line.split()[0].replace("-", "_") for line, _ in READING}
    assert reading | READING_NONE == {command.__name__ for command in COMMANDS}


@pytest.mark.parametrize(
    ("line", "table", "attack"),
    [(*asked, other_bytes) for asked in READING]
    + [(*READING[0], attack) for attack in (added, lost, with_a_manifest_of_its_own)],
)
def test_no_command_uses_a_table_that_was_changed(
    finished: tuple[Path, RunOutcome],
    tmp_path: Path,
    line: str,
    table: str,
    attack: Attack,
    capfd: pytest.CaptureFixture[str],
) -> None:
    project = shutil.copytree(finished[0], tmp_path / "copy")
    outcome = finished[1]
    run = project / Path(outcome.lake).relative_to(finished[0])
    attack(run / table)
    arguments = line.format(run=outcome.record.run_id, region=REGION).split()
    with pytest.raises(SystemExit) as ended:
        parser()([*arguments, "--project", str(project)])
    out, err = capfd.readouterr()
    assert (ended.value.code, out) == (3, "")
    assert f"table {table} of run {outcome.record.run_id} is not what stage" in err
    assert f"remove {run / table} " in err.replace("\n", " ")
