"""A slice over several runs: what each compares with, and what becomes of its breaks."""

from __future__ import annotations

import dataclasses
import datetime as dt
import shutil
import time
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from cutline.control import Control, RunKey
from cutline.lake.lake import Lake
from cutline.lake.unchanged import LakeCheck
from cutline.results import HistoryResult, ReconcileResult, StageResult
from cutline.run.before import run_before, trend_of
from cutline.workspace import RunBefore
from support.reconciled import ORDER_TRUTH, ORDERS, Slice

AT = dt.datetime(2026, 11, 1, tzinfo=dt.UTC)


@dataclasses.dataclass
class Runs:
    """Runs of one slice, reconciled one after the other as the runner does it."""

    slice: Slice
    control: Control

    def begin(self, run_id: str) -> None:
        with self.control.lease("shop", "north") as lease:
            self.control.begin(RunKey("shop", "north", run_id, {"run": run_id}), AT, lease)
        time.sleep(0.002)

    def before(self, run_id: str) -> RunBefore:
        key = RunKey("shop", "north", run_id, {"run": run_id})
        return run_before(self.slice.project(), self.control, key, self.slice.spark, LakeCheck())

    def reconcile(self, run_id: str, cents: dict[str, int]) -> StageResult:
        """Orders that the new side has with these cents; the legacy has 1 for each of A, B, C."""
        self.begin(run_id)
        shop_slice = self.slice
        shop_slice.lake = Lake(str(shop_slice.folder / f"lake/shop/north/{run_id}"))
        shop_slice.state("order", ORDERS, [(s, "open", n, Decimal(1)) for s, n in cents.items()])
        shop_slice.state("line", "subject string, sku string", [])
        reconciled = shop_slice.reconcile(
            {"order": ORDER_TRUTH}, run_id=run_id, before=self.before(run_id)
        )
        self.store(run_id, reconciled.result)
        return reconciled.result

    def store(self, run_id: str, result: StageResult) -> None:
        trend = trend_of(run_id, result)
        assert trend is not None
        with self.control.lease("shop", "north") as lease:
            self.control.remember_trend(trend, lease)
            self.control.stage_started(run_id, "reconcile", lease)
            self.control.stage_done(run_id, "reconcile", result, "d", 1.0, lease)

    def states(self, run_id: str, table: str = "breaks") -> dict[str, str]:
        lake = Lake(str(self.slice.folder / f"lake/shop/north/{run_id}"))
        return {r["subject"]: r["state"] for r in lake.read(self.slice.spark, table).collect()}


@pytest.fixture
def runs(shop_slice: Slice, tmp_path: Path) -> Runs:
    shop_slice.orders(("A", "open", 1, "1"), ("B", "open", 1, "1"), ("C", "open", 1, "1"))
    return Runs(shop_slice, Control.open(shop_slice.project().file.control, tmp_path))


def figures(result: StageResult) -> dict[str, int]:
    return {k: n for k, n in result.stored()["facts"]["memory"]["levels"]["state"].items() if n}


def digests(result: StageResult) -> dict[str, Any]:
    return {t.name: t.digest for t in result.tables}


@pytest.mark.slow
def test_a_break_opens_persists_is_fixed_and_reopens(runs: Runs, spark: SparkSession) -> None:
    first = runs.reconcile("run-1", {"A": 9, "B": 9, "C": 1})
    second = runs.reconcile("run-2", {"A": 9, "B": 1, "C": 9})
    third = runs.reconcile("run-3", {"A": 1, "B": 9, "C": 9})
    assert runs.states("run-1") == {"A": "opened", "B": "opened"}
    assert runs.states("run-2") == {"A": "persisting", "C": "opened"}
    assert runs.states("run-3") == {"B": "reopened", "C": "persisting"}
    assert runs.states("run-3", "break_history") == {
        "A": "fixed",
        "B": "reopened",
        "C": "persisting",
    }
    assert [figures(r) for r in (first, second, third)] == [
        {"opened": 2, "open": 2},
        {"opened": 1, "persisting": 1, "fixed": 1, "open": 2},
        {"reopened": 1, "persisting": 1, "fixed": 1, "open": 2},
    ]
    memory = third.stored()["facts"]["memory"]
    assert (memory["compared_with"], memory["gone"], memory["place"]) == ("run-2", [], 3)
    trend = Lake(str(runs.slice.folder / "lake/shop/north/run-3")).read(spark, "trend").collect()
    assert sorted((r["place"], r["run_id"]) for r in trend if r["level"] == "state") == [
        (1, "run-1"),
        (2, "run-2"),
        (3, "run-3"),
    ]
    # An older run again, now that newer ones are there: it compares with what it did at first.
    again = runs.reconcile("run-2", {"A": 9, "B": 1, "C": 9})
    assert digests(again) == digests(second)
    assert again.stored()["facts"]["memory"] == second.stored()["facts"]["memory"]
    assert list(runs.control.trends("shop", "north")) == ["run-1", "run-2", "run-3"]


def _memory(runs: Runs, run_id: str) -> Path:
    """As much of a run's folder as says that its memory is there."""
    folder = runs.slice.folder / f"lake/shop/north/{run_id}"
    for table in ("break_history", "exception_history", "trend", "reverify"):
        (folder / table).mkdir(parents=True)
    return folder


def _facts(compared_with: str | None, place: int) -> ReconcileResult:
    none = dict.fromkeys(("opened", "persisting", "fixed", "reopened", "open", "waived"), 0)
    history = HistoryResult(compared_with=compared_with, place=place, levels={"state": none})
    return ReconcileResult(rows_in=0, rows_out=0, history=history)


def test_what_a_run_compares_with(runs: Runs) -> None:
    def chosen(run_id: str) -> tuple[str | None, int, tuple[str, ...]]:
        previous = runs.before(run_id)
        assert (previous.lake is None) == (previous.run_id is None)
        return previous.run_id, previous.place, previous.forgotten_runs

    for run_id in ("run-1", "run-2", "run-3", "run-4"):
        runs.begin(run_id)
    assert chosen("run-1") == (None, 0, ())
    runs.store("run-1", _facts(None, 1))
    first = _memory(runs, "run-1")
    # run-2 has not come so far yet: run-3 passes over it.
    assert chosen("run-3") == ("run-1", 1, ())
    runs.store("run-3", _facts("run-1", 2))
    third = _memory(runs, "run-3")
    # When it does, it stands before run-3, which keeps what it was compared with.
    assert chosen("run-2") == ("run-1", 1, ())
    runs.store("run-2", _facts("run-1", 2))
    _memory(runs, "run-2")
    assert chosen("run-3") == ("run-1", 1, ())
    assert chosen("run-4") == ("run-3", 2, ())
    assert chosen("run-1") == (None, 0, ())
    # What is gone from the lake is said, and passed over.
    shutil.rmtree(third)
    assert chosen("run-4") == ("run-2", 2, ("run-3",))
    shutil.rmtree(first)
    assert chosen("run-3") == ("run-2", 2, ())
    assert chosen("run-2") == (None, 0, ("run-1",))
