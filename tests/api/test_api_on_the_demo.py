"""The front door on a whole project: what each call gives, the page that tells of it, the notebook."""

from __future__ import annotations

import ast
import datetime as dt
import inspect
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

import cutline
from cutline.api import DemoResult, Run, StageDone, StageStarted
from cutline.api.tables.frames import CONTRACTS
from cutline.errors import ConfigurationError
from cutline.masking import MASK
from cutline.project.spark_settings import REQUIRED
from cutline.tables import BREAKS, CERTIFICATE, TIMELINE
from support.finished_demo import ORDERS, FinishedDemo, finished_demo

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "python.md"
NOTEBOOK = ROOT / "examples" / "notebook" / "retail.ipynb"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("notebook")


@pytest.fixture(scope="module")
def finished(folder: Path, spark: SparkSession) -> FinishedDemo:
    return finished_demo(spark, folder / "retail")


@pytest.fixture(scope="module")
def demo(finished: FinishedDemo) -> DemoResult:
    """The demo; the page and the notebook find it complete."""
    return DemoResult(
        finished.project,
        *(
            Run(cutline.Project.open(finished.project), outcome)
            for outcome in (finished.first, finished.second)
        ),
    )


def test_the_demo_runs_twice_and_tells_its_events(demo: DemoResult, finished: FinishedDemo) -> None:
    assert demo.as_expected
    assert repr(demo) == f"<DemoResult {demo.folder}: no-go, then go>"
    started = [event.stage for event in finished.events if isinstance(event, StageStarted)]
    done = [event.stage for event in finished.events if isinstance(event, StageDone)]
    assert started == done == list(cutline.STAGE_NAMES) * 2
    assert str(finished.events[0]).startswith(f"writing a legacy estate of {ORDERS} orders to ")
    assert "extract: started" in map(str, finished.events)


def test_the_numbers_are_those_of_the_run(demo: DemoResult) -> None:
    """The ages of a rule add up to its exceptions, those of a level to its open breaks."""
    run = demo.second
    values = defaultdict(dict)
    for sample in cutline.Project.open(demo.folder).metrics():
        _, _, *labels = sample.labels.values()
        values[sample.name][tuple(labels)] = sample.value
    assert values["cutline_exceptions"] == {(r,): n for r, n in run.counts.exceptions.items()}
    assert values["cutline_events"] == {(v,): n for v, n in run.counts.verdicts.items()}
    assert values["cutline_source_rows"] == {(d,): n for d, n in run.counts.dispositions.items()}
    assert sum(values["cutline_exceptions"].values()) > 0
    for waiting in ("exceptions", "breaks"):
        ages = Counter()
        for (name, _), count in values[f"cutline_{waiting}_by_age"].items():
            ages[name] += count
        counted = values[f"cutline_{waiting}"]
        assert ages == {name: n for (name,), n in counted.items() if n}
        for (name,), oldest in values[f"cutline_{waiting}_oldest_timestamp_seconds"].items():
            table = run.table(f"{waiting[:-1]}_history").where("fixed_run is null")
            by = "rule" if waiting == "exceptions" else "level"
            [first] = table.where(f"{by} = '{name}'").selectExpr("min(first_seen_at)").first()
            assert first.replace(tzinfo=dt.UTC).timestamp() == oldest


def test_a_run_says_what_came_out(demo: DemoResult) -> None:
    run = demo.first
    assert (run.status, run.decision, run.already_complete) == ("complete", "no-go", False)
    assert (run.context, run.region, run.error) == ("fulfilment", "eu-west", None)
    assert run.decided_by
    assert run.decided_by.startswith("Outcome: ")
    assert run.report
    assert Path(run.report).is_file()
    assert repr(run) == f"<Run {run.id}: no-go>"
    document = run.as_json()
    assert document["breaks"] == run.counts.breaks
    assert document["outcomes"] == run.counts.outcomes
    assert document["unexplained"] == run.counts.unexplained == 0
    html = run._repr_html_()
    assert "NO-GO" in html
    assert run.report in html


def test_the_same_run_again_is_complete(demo: DemoResult) -> None:
    events: list[Any] = []
    run = demo.project.run("fulfilment", region="eu-west", on_event=events.append)
    assert (run.id, run.already_complete, events) == (demo.second.id, True, [])


def test_tables_are_data_frames_by_their_contracts(demo: DemoResult) -> None:
    run = demo.first
    breaks = run.breaks()
    assert isinstance(breaks, DataFrame)
    assert tuple(breaks.columns) == BREAKS.names
    assert tuple(run.timeline().columns) == TIMELINE.names
    by_level = {level: run.breaks(level=level).count() for level in ("record", "state", "outcome")}
    assert by_level == {level: run.counts.breaks.get(level, 0) for level in by_level}
    assert by_level["outcome"] > 0
    assert run.dispositions().count() == sum(run.counts.dispositions.values())
    assert {"breaks", "timeline", "state_customer_order"} <= set(run.tables)
    assert tuple(run.table("certificate").columns) == CERTIFICATE.names
    prefixes = {"state", "truth", "facts", "changes"}
    assert {n for n in run.tables if n.split("_")[0] not in prefixes} <= set(CONTRACTS)
    with pytest.raises(ConfigurationError, match="Did you mean 'state'"):
        run.breaks(level="stat")
    with pytest.raises(ConfigurationError, match="has no table 'brakes'"):
        run.table("brakes")


def test_personal_values_are_masked_unless_somebody_asks_for_them(demo: DemoResult) -> None:
    run = demo.first
    shown, plain = (run.table("timeline", masked=masked) for masked in (True, False))
    assert shown.where(f"data LIKE '%{MASK}%'").count() > 0
    assert plain.where(f"data LIKE '%{MASK}%'").count() == 0
    assert MASK in str(run.show("timeline", limit=50).as_json())


def test_a_run_is_found_again(demo: DemoResult) -> None:
    project = demo.project
    newest = project.find_run(context="fulfilment", region="eu-west")
    assert newest.id == demo.second.id
    assert project.find_run(demo.first.id).counts == demo.first.counts
    assert project.find_run(demo.first.id).report == demo.first.report
    listed = project.runs("fulfilment", region="eu-west")
    assert [run.run_id for run in listed] == [demo.second.id, demo.first.id]
    assert listed[1].breaks is not None
    assert listed[1].breaks.open == sum(demo.first.counts.breaks.values())
    (overview,) = [s for s in project.status() if s.region == "eu-west"]
    assert (overview.status, overview.decision, overview.runs) == ("complete", "go", 2)
    with pytest.raises(ConfigurationError, match="No run's id begins with 'nothing'"):
        project.find_run("nothing")


def test_a_session_of_their_own_is_used_and_left_running(
    demo: DemoResult, spark: SparkSession
) -> None:
    own_session = spark.newSession()
    own_session.conf.set("spark.sql.shuffle.partitions", "3")
    run = cutline.Project.open(demo.folder, spark=own_session).find_run(demo.first.id)
    frame = run.breaks()
    assert frame.sparkSession.conf.get("spark.sql.shuffle.partitions") == "3"
    assert frame.count() == sum(demo.first.counts.breaks.values())
    assert own_session.range(2).count() == 2


def results(demo: DemoResult) -> Iterator[Any]:
    project, run = demo.project, demo.first
    yield project.check()
    yield project.coverage("fulfilment", region="eu-west")
    yield project.cut("fulfilment", region="eu-west")
    yield run.certificate()
    yield run.counts
    yield project.status()
    yield project.runs("fulfilment", region="eu-west")
    cluster = run.clusters().orderBy("by_count").first()
    assert cluster is not None
    yield project.explain_cluster(cluster.cluster, run=run.id)
    yield project.waive(cluster.cluster, run=run.id)
    row = run.breaks(level="state").orderBy("subject").first()
    assert row is not None
    yield project.explain(row.subject, aggregate=row.aggregate, run=run.id, limit=3)
    yield project.profile("erp.orders", region="eu-west")
    yield run.show("breaks", limit=2)
    yield cutline.translators()
    yield cutline.schemas("fulfilment")


def test_every_result_shows_itself(demo: DemoResult) -> None:
    for result in results(demo):
        name = type(result).__name__
        assert "object at 0x" not in repr(result), name
        html = result._repr_html_()
        assert html.startswith("<"), name
        assert html.count("<table>") == html.count("</table>"), name
        if hasattr(result, "as_json"):
            json.dumps(result.as_json(), default=str)


def test_what_the_page_shows_runs(
    demo: DemoResult, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    page = PAGE.read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(blocks) >= 8
    namespace: dict[str, Any] = {}
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), namespace)
    assert isinstance(namespace["run"], Run)
    assert namespace["demo"].as_expected


def test_the_page_names_what_a_session_must_have_and_every_call() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for key, values in REQUIRED.items():
        assert f"| `{key}` | `{values[0]}` |" in page
    offered = {n for n, m in vars(cutline.Project).items() if callable(m) and n[0] != "_"}
    for name in offered - {"open", "load", "session", "command"}:
        assert f"project.{name}(" in page, name
    for name in ("compare", "demo", "new_context", "project_schema", "schemas", "translators"):
        assert f"cutline.{name}(" in page, name


def test_the_page_names_the_parameters_that_are_not_called_as_the_option() -> None:
    page = PAGE.read_text(encoding="utf-8")
    named = "`--project` and `--dir` are `folder`, `--stage` is `stages`, `--from` is\n`tables`"
    assert named in page
    for call, parameter in (
        (cutline.Project.open, "folder"),
        (cutline.Project.run, "stages"),
        (cutline.Project.new_translator, "tables"),
        (cutline.demo, "folder"),
    ):
        assert parameter in inspect.signature(call).parameters


def cells() -> list[str]:
    """The code of the notebook, cell by cell; it is kept without what it once printed."""
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in notebook["cells"]}) == len(notebook["cells"])
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)
    return ["".join(cell["source"]) for cell in code]


def test_the_notebook_runs_cell_by_cell(
    demo: DemoResult, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a notebook server runs it: a cell's last expression is shown, by its HTML if it has any."""
    monkeypatch.chdir(folder)
    namespace: dict[str, Any] = {}
    shown = []
    for source in cells():
        tree = ast.parse(source)
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, str(NOTEBOOK), "exec"), namespace)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), str(NOTEBOOK), "eval"), namespace)
            shown.append(value._repr_html_())
    assert len(shown) >= 8
    assert "NO-GO" in shown[0]
    assert all("<table" in html for html in shown)
