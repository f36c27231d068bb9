"""Benchmarks are run by hand: that they still can be is seen here, with a few rows."""

from __future__ import annotations

import importlib.util
import sys
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from pyspark.sql import SparkSession

from support.paths import ROOT

FOLDER = ROOT / "benchmarks"
Load = Callable[[str], ModuleType]


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> Load:
    """A script by a name of its own, for the tests have folders that are called as some are."""
    monkeypatch.syspath_prepend(FOLDER)

    def loaded(name: str) -> ModuleType:
        spec = importlib.util.spec_from_file_location(f"benchmark_{name}", FOLDER / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, spec.name, module)
        spec.loader.exec_module(module)
        return module

    return loaded


def rows(table: str) -> dict[str, list[str]]:
    """A Markdown table's cells by what its rows begin with."""
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()]
    return {row[0]: row[1:] for row in cells if row}


def test_translating_is_measured(spark: SparkSession, load: Load, tmp_path: Path) -> None:
    translate = load("translate")
    names = ["4 facts", translate.WRITTEN, "changes: 4 facts", f"changes: {translate.SORTED}"]
    told = translate.measured(spark, tmp_path, 200, Namespace(only=names, repeat=1))
    assert "with changes 240 rows" in told
    found = rows(told)
    assert set(names) <= set(found)
    assert int(found["4 facts"][0]) > 200, "each order announces one or more"
    assert int(found["changes: 4 facts"][0]) > int(found["4 facts"][0])


def test_merging_is_measured(spark: SparkSession, load: Load, tmp_path: Path) -> None:
    told = load("merge").measured(spark, tmp_path, 200, Namespace(skew=False, repeat=1))
    assert {"bare", "judged alone", "merge and project, even"} <= set(rows(told))


def test_comparing_is_measured(spark: SparkSession, load: Load) -> None:
    compare = load("compare")
    left = compare.orders(spark, 200)
    given = Namespace(peers=False, without=[], repeat=1)
    told = compare.measured(left, compare.drifted(left, 30), given)
    assert set(rows("\n".join(told))) == {"compare", "full outer join by hand"}
