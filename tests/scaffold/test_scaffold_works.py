"""Scaffolds are generated, installed and run: from a table nobody knows to tests that pass."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from support.extracting import database
from support.installed import environment, install
from support.missing import missing
from support.paths import ROOT
from support.profiles import STATUSES, hostile_database
from support.shared_jvm import in_jvm_of
from support.soaking import some_in_soak

CONFIG = """\
version: 1
name: unknown
topics: {prefix: unknown}
sources:
  old:
    kind: sqlite
    path: old.db
    extracted_at: 2026-11-01T02:00:00Z
    tables:
      things: {name: old things}
  erp:
    kind: sqlite
    path: erp.db
    extracted_at: 2026-11-01T02:00:00Z
    tables:
      orders: {region: region = :region}
  log:
    kind: log
    extracted_at: 2026-11-01T02:00:00Z
    tables: {jobs: {}, visits: {}}
    changes: {kind: debezium, log: kafka, path: log.jsonl, snapshot: {policy: in-log}}
contexts:
  hostility: {translation: {use: hostile, major: 1}, cut: &cut {policy: commit-timestamp, at: 2026-11-01T06:00:00Z}}
  sales: {translation: {use: erp, major: 1}, cut: *cut}
regions: {all: {everything: true}, eu: {}}
spark: {quick_start: true, master: "local[2]"}
"""
ORDERS = [
    (f"A-{n}", status, "eu" if n % 3 else "us", f"{n}.50", "2026-01-01 10:00:00", shipped)
    for n, (status, shipped) in enumerate(
        [("NEW", None), ("SENT", "2026-01-02 10:00:00"), ("SENT", "2026-01-03 10:00:00")] * 4, 1
    )
]
LOG = [
    {"op": "c", "source": {"table": table, "ts_ms": 1790000000000 + n}, "after": row}
    for n, (table, row) in enumerate(
        [
            *(("jobs", {"job": n, "state": "open" if n % 2 else "done"}) for n in range(6)),
            *(("visits", {"visit": n, "job": n // 2, "mode": "phone"}) for n in range(8)),
        ]
    )
]


class Estate:
    """A project folder, and the distributions that were installed beside it."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        self.spark = spark
        self.folder = folder
        hostile_database(folder / "old.db")
        database(
            folder / "erp.db",
            "CREATE TABLE orders (no, status, region, amount, placed_at, shipped_at)",
            {"orders": ORDERS},
        )
        (folder / "log.jsonl").write_text("".join(json.dumps(line) + "\n" for line in LOG))
        (folder / "cutline.yaml").write_text(CONFIG)

    def call(self, *command: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        """A process that sees what is installed; it must end well."""
        done = self.tried(*command, cwd=cwd)
        assert done.returncode == 0, done.stdout + done.stderr
        return done

    def tried(
        self, *command: object, cwd: Path | None = None, site: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        """A process that sees what is installed, in the estate's own folder or in `site`."""
        return subprocess.run(
            [sys.executable, "-m", *map(str, command)],
            cwd=cwd or self.folder,
            env=in_jvm_of(self.spark, environment(site or self.folder / "site")),
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )

    def install(self, name: str) -> None:
        install(self.folder / name, self.folder / "site")


@pytest.fixture(scope="module")
def estate(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Estate:
    """Two contexts and two translators, written and installed."""
    new_estate = Estate(spark, tmp_path_factory.mktemp("estate"))
    new_estate.call("cutline", "new", "context", "hostility", "--aggregate", "class_")
    new_estate.call(
        "cutline", "new", "context", "sales", "--aggregate", "order", "--event", "OrderPlaced"
    )
    new_estate.install("hostility-context")
    new_estate.install("sales-context")
    hostile = ("--context", "hostility", "--from", "old.things", "--status", "class")
    new_estate.call("cutline", "new", "translator", "hostile", *hostile, "--personal", "two\nlines")
    new_estate.call(
        "cutline", "new", "translator", "erp", "--context", "sales", "--from", "erp.orders"
    )
    options = ("--from", "erp.orders", "--from", "log.*", "--aggregate", "order")
    new_estate.call("cutline", "new", "translator", "several", "--context", "sales", *options)
    new_estate.install("several-translator")
    new_estate.install("hostile-translator")
    new_estate.install("erp-translator")
    return new_estate


PACKAGES = (
    *("hostility-context", "sales-context"),
    *("hostile-translator", "erp-translator", "several-translator"),
)
OFTEN = ("sales-context", "hostile-translator")
"""Those that are tested each time."""


@pytest.mark.slow
@pytest.mark.parametrize("name", some_in_soak(PACKAGES, OFTEN.__contains__))
def test_its_own_tests_pass(estate: Estate, name: str) -> None:
    done = estate.call("pytest", "-q", "-p", "no:cacheprovider", cwd=estate.folder / name)
    assert " passed" in done.stdout
    assert "skipped" not in done.stdout


@pytest.mark.soak
@pytest.mark.slow
def test_pip_builds_what_a_team_publishes(estate: Estate, tmp_path: Path) -> None:
    """Wheels hold all that is needed: no folder of sources is on the path."""
    folders = [estate.folder / name for name in PACKAGES]
    built = estate.tried("pip", "install", "--quiet", "--no-deps", "--target", tmp_path, *folders)
    if "No matching distribution found for hatchling" in built.stderr:
        missing("no package index here to take hatchling from, which builds wheels")
    assert built.returncode == 0, built.stderr
    done = estate.tried("cutline", "check", site=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    for name in ("erp 1.0.0", "hostile 1.0.0"):
        assert name in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("name", some_in_soak(PACKAGES, OFTEN.__contains__))
def test_it_is_formatted_linted_and_typed(estate: Estate, name: str) -> None:
    folder = estate.folder / name
    estate.call("ruff", "check", "--no-cache", ".", cwd=folder)
    estate.call("ruff", "format", "--no-cache", "--check", ".", cwd=folder)
    ours = ["--config", ROOT / "pyproject.toml", "--config", 'src = ["src", "tests"]']
    ours += ["--config", "lint.isort.known-first-party = []", "--no-cache"]
    estate.call("ruff", "check", *ours, "src", cwd=folder)
    search_path = [str(m) for m in (ROOT / "framework", estate.folder / "site")]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MYPYPATH", os.pathsep.join(search_path))
        patch.setenv("MYPY_CACHE_DIR", str(estate.folder / "mypy"))
        estate.call("mypy", cwd=folder)


@pytest.mark.slow
def test_every_hostile_column_and_status_has_its_place(estate: Estate) -> None:
    source = (estate.folder / "hostile-translator" / "src" / "hostile_translator").resolve()
    contract = (source / "contract.py").read_text()
    translator = (source / "translator.py").read_text()
    assert contract.count(" = column(") == 17
    assert 'alias="two\\nlines"' in contract
    assert contract.count("personal=True") == 1
    assert translator.count("@todo(") == len(STATUSES)
    assert 'getattr(row, "class") == "N"' in translator
    assert "\x1b" not in translator


@pytest.mark.soak
@pytest.mark.slow
def test_a_run_quarantines_what_is_not_decided(estate: Estate) -> None:
    """Every row is told as unmapped, none is guessed at, and the truth SQL is asked."""
    estate.call("cutline", "check")
    covered = estate.tried("cutline", "coverage", "hostility", "--region", "all", "--json")
    document = json.loads(covered.stdout)
    assert (covered.returncode, document["unmapped"]) == (1, 2 * len(STATUSES))
    for context, rows in (("sales", 8), ("hostility", 2 * len(STATUSES))):
        done = estate.tried("cutline", "run", context, "--region", "eu", "--json")
        document = json.loads(done.stdout)
        assert (done.returncode, document["decision"], document["unexplained"]) == (1, "no-go", 0)
        counts_by_rule = {rule: n for rule, n in document["exceptions"].items() if n}
        assert sum(counts_by_rule.values()) == rows
        assert all(rule.startswith("unmapped:") for rule in counts_by_rule)


@pytest.mark.soak
@pytest.mark.slow
def test_a_run_of_several_tables_quarantines_what_is_not_decided(estate: Estate) -> None:
    project = estate.folder / "several-project"
    project.mkdir()
    config = CONFIG.replace("{use: erp, major: 1}", "{use: several, major: 1}")
    for name in ("old.db", "erp.db", "log.jsonl"):
        (project / name).symlink_to(estate.folder / name)
    (project / "cutline.yaml").write_text(config)
    done = estate.tried("cutline", "run", "sales", "--region", "all", "--json", cwd=project)
    outcome = json.loads(done.stdout)
    assert (done.returncode, outcome["decision"], outcome["unexplained"]) == (1, "no-go", 0)
    assert sum(outcome["exceptions"].values()) == len(ORDERS) + len(LOG)


@pytest.mark.slow
def test_a_second_time_nothing_is_overwritten(estate: Estate) -> None:
    before = (estate.folder / "sales-context" / "pyproject.toml").read_bytes()
    again = estate.tried("cutline", "new", "context", "sales", "--aggregate", "order")
    assert again.returncode == 2
    assert "context sales is installed already" in again.stderr
    assert (estate.folder / "sales-context" / "pyproject.toml").read_bytes() == before
