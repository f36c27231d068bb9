"""An argument of another kind is refused by its name, before any work."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pandas as pd
import pytest

import cutline
from cutline import Project, Run
from cutline.api.arguments import names
from cutline.errors import ConfigurationError
from support.sample_project import document, write

Call = Callable[[Any], object]

EU_WEST = {"region": "eu-west"}
PROJECT_CALLS: dict[str, tuple[str, Call]] = {
    "run without a region": ("region: None", lambda p: p.run("fulfilment", region=None)),
    "run without a context": ("context: None", lambda p: p.run(None, **EU_WEST)),
    "run of a list": ("context: ", lambda p: p.run(["fulfilment"], **EU_WEST)),
    "a stage that is a number": ("stages: 3", lambda p: p.run("fulfilment", stages=3, **EU_WEST)),
    "runs": ("region: 5", lambda p: p.runs("fulfilment", region=5)),
    "coverage": ("region: None", lambda p: p.coverage("fulfilment", region=None)),
    "cut": ("context: 1", lambda p: p.cut(1, region="eu-west")),
    "find_run": ("run: 17", lambda p: p.find_run(17)),
    "explain a number": ("subject: 17", lambda p: p.explain(17)),
    "explain nothing of it": ("limit: 0", lambda p: p.explain("1", limit=0)),
    "explain more than fits": (
        "limit: 3000000000 is more than 1,000,000.",
        lambda p: p.explain("1", limit=3_000_000_000),
    ),
    "a cluster of more than fits": (
        "limit: 2147483647 is more",
        lambda p: p.explain_cluster("1", limit=2**31 - 1),
    ),
    "backfills": ("limit: 0", lambda p: p.backfills().list(limit=0)),
    "a cluster": ("limit: '5'", lambda p: p.explain_cluster("1", limit="5")),
    "reports_index": ("folder: 5", lambda p: p.reports_index(5)),
    "reports_index in no folder": ("folder: ''", lambda p: p.reports_index("")),
    "compare_runs": ("right: 3", lambda p: p.compare_runs("a", 3)),
    "a comparison in no folder": ("index: ''", lambda p: p.compare_runs("a", "b", index="")),
    "waive": ("cluster: None", lambda p: p.waive(None)),
    "profile": ("table: None", lambda p: p.profile(None)),
    "hide": ("hide: None", lambda p: p.profile("erp.orders", hide=None)),
    "a replay of no key": (
        "keys: there is no name in it.",
        lambda p: p.replay("x", to="y", keys=[]),
    ),
    "a backfill of no type": (
        "types: there is no name in it.",
        lambda p: p.backfills().submit("x", to="y", team="a", why="b", types=()),
    ),
    "no table": ("tables: ", lambda p: p.new_translator("x", context="fulfilment", tables=[])),
    "a key": (
        "key: 5",
        lambda p: p.new_translator("x", context="fulfilment", tables="erp.orders", key=5),
    ),
}


@pytest.mark.parametrize(("named", "call"), PROJECT_CALLS.values(), ids=PROJECT_CALLS)
def test_calls_of_a_project(tmp_path: Path, named: str, call: Call) -> None:
    project = Project.open(write(tmp_path, document()))
    with pytest.raises(ConfigurationError) as refused:
        call(project)
    assert refused.value.what.startswith(named)
    assert refused.value.next_step
    assert [path.name for path in tmp_path.iterdir()] == ["cutline.yaml"]


@pytest.mark.parametrize(
    ("named", "call"),
    [
        ("limit: -1", lambda run: run.show("breaks", limit=-1)),
        ("limit: '5'", lambda run: run.show("breaks", limit="5")),
        ("limit: 0", lambda run: run.show("breaks", limit=0)),
        ("limit: 3000000000 is more than", lambda run: run.show("breaks", limit=3_000_000_000)),
        ("where: ' ' says nothing", lambda run: run.show("breaks", where=" ")),
        ("limit: True", lambda run: run.show("breaks", limit=True)),
        ("table: None", lambda run: run.show(None)),
        ("name: 3", lambda run: run.table(3)),
        ("level: 3", lambda run: run.breaks(level=3)),
        ("level '' is none of", lambda run: run.breaks(level="")),
        ("level: []", lambda run: run.breaks(level=[])),
    ],
)
def test_calls_of_a_run(tmp_path: Path, named: str, call: Call) -> None:
    run = Run(Project(tmp_path), cast("Any", None))
    with pytest.raises(ConfigurationError) as refused:
        call(run)
    assert refused.value.what.startswith(named)


@pytest.mark.parametrize(
    ("named", "left", "right", "options"),
    [
        ("left: NoneType is neither", None, None, {}),
        ("left: list is neither", [1], [2], {}),
        ("left: pandas.", pd.DataFrame(), pd.DataFrame(), {}),
        ("right: NoneType is neither", "a.csv", None, {}),
        ("rules: dict is neither", "a.csv", "b.csv", {"rules": {"columns": {}}}),
        ("key: None", "a.csv", "b.csv", {"key": None}),
        ("--key names no column", "a.csv", "b.csv", {"key": []}),
        ("as_text: [1]", "a.csv", "b.csv", {"as_text": [1]}),
    ],
)
def test_a_comparison(named: str, left: Any, right: Any, options: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError) as refused:
        cutline.compare(left, right, **{"key": ["id"], **options})
    assert refused.value.what.startswith(named)


def test_a_text_is_one_name() -> None:
    assert names("key", "id") == ("id",)
    assert names("key", ["id", "line"]) == names("key", iter(("id", "line"))) == ("id", "line")
