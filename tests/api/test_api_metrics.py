"""Every slice in numbers: what is there, what is not, and as Prometheus reads it."""

from __future__ import annotations

import dataclasses
import datetime as dt
import json
import re
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

import cutline
from cutline.api.metrics.names import METRICS
from cutline.control import Control, PublishedPartition, Trend
from cutline.project import load
from cutline.results.reconcile import (
    Category,
    HistoryResult,
    LevelResults,
    OpenAge,
    ReconcileResult,
    StateLevel,
)
from cutline.tables.history import AGES
from cutline.tables.trend import FIGURES
from support.command_line import CommandLine
from support.paths import DOCS
from support.rolled_out import CONTEXT, REGION, RolledOutSlice, without_spark

TOPIC = "retail.fulfilment.customer_order.synthetic"
BEGUN_AT = dt.datetime(2026, 11, 1, tzinfo=dt.UTC)
WEEK = dt.timedelta(days=7)
BEGUN = PublishedPartition("run-1", TOPIC, 0, begins=0)


@pytest.fixture
def slice_(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RolledOutSlice:
    """A slice with two runs, the newest NO-GO, something published, and reads under canary."""
    without_spark(monkeypatch)
    slice_ = RolledOutSlice(tmp_path)
    slice_.do("open")
    slice_.do("stage", "run-1")
    slice_.do("switch reads", 5)
    slice_.run("run-2", decision="no-go")
    with slice_.control.lease(CONTEXT, REGION) as lease:
        ended = dataclasses.replace(BEGUN, ends=9, records=8)
        slice_.control.remember_publications(
            [ended, dataclasses.replace(ended, partition=1, records=5)], lease
        )
        counts = {"opened": 2, "persisting": 4, "fixed": 3, "reopened": 1, "open": 7, "waived": 0}
        slice_.control.remember_trend(Trend("run-2", "run-1", 1, {"state": counts}), lease)
    return slice_


def aged(count: int) -> OpenAge:
    """That many, a week old."""
    ages = dict.fromkeys(AGES, 0) | {"7d_to_30d": count}
    return OpenAge(BEGUN_AT, ages)


def numbers(project: Path) -> dict[tuple[str, ...], float]:
    """By metric and labels other than the slice's."""
    return {
        (m.name, *(v for n, v in m.labels.items() if n not in ("context", "slice"))): m.value
        for m in cutline.Project.open(project).metrics()
    }


def test_a_slice_in_numbers(slice_: RolledOutSlice) -> None:
    values = numbers(slice_.folder)
    assert values["cutline_runs", "complete"] == 2
    assert values["cutline_go",] == 0
    assert values["cutline_breaks", "state"] == 7
    assert values["cutline_breaks_opened", "state"] == 3
    assert values["cutline_breaks_fixed", "state"] == 3
    assert values["cutline_published_records", TOPIC] == 13
    assert values["cutline_rollout_reads", "canary"] == 1
    assert values["cutline_rollout_reads", "legacy"] == 0
    assert values["cutline_rollout_percent",] == 5
    assert values["cutline_rollout_writes", "legacy"] == 1
    runs = {r.run_id: r.finished_at for r in slice_.control.runs(CONTEXT, REGION)}
    assert runs["run-1"] is not None
    assert values["cutline_go_timestamp_seconds",] == runs["run-1"].timestamp()
    assert values["cutline_run_finished_timestamp_seconds",] > runs["run-1"].timestamp()


def test_ages_and_categories(slice_: RolledOutSlice) -> None:
    fresh = dict.fromkeys(AGES, 0) | {"below_1d": 1}
    none = dict.fromkeys(FIGURES, 0)
    history = HistoryResult(
        compared_with=None,
        place=1,
        levels={"state": none},
        breaks={"state": aged(7)},
        exceptions={"no-order": aged(2), "no-stock": OpenAge(BEGUN_AT + WEEK, fresh)},
    )
    of_category = {"compared": 9, "explained": 0, "late": 0, "not_eligible": 0}
    categories = (
        Category(category="channel=web", matched=5, broken=4, **of_category),
        Category(category=None, matched=9, broken=0, **of_category),
    )
    orders = StateLevel("order", 18, 14, 5, 0, categories=categories, categories_in_all=2)
    result = ReconcileResult(
        rows_in=3, rows_out=0, history=history, levels=LevelResults(state=(orders,))
    )
    with slice_.control.lease(CONTEXT, REGION) as lease:
        slice_.control.stage_started("run-2", "reconcile", lease)
        slice_.control.stage_done("run-2", "reconcile", result, "d" * 32, 1.0, lease)
        slice_.control.complete("run-2", lease)
    values = numbers(slice_.folder)
    assert values["cutline_exceptions_by_age", "no-order", "7d_to_30d"] == 2
    assert values["cutline_exceptions_by_age", "no-order", "below_1d"] == 0
    assert values["cutline_exceptions_by_age", "no-stock", "below_1d"] == 1
    oldest = "cutline_exceptions_oldest_timestamp_seconds"
    assert values[oldest, "no-order"] == BEGUN_AT.timestamp()
    assert values[oldest, "no-stock"] == (BEGUN_AT + WEEK).timestamp()
    assert values["cutline_breaks_by_age", "state", "7d_to_30d"] == 7
    assert values["cutline_breaks_oldest_timestamp_seconds", "state"] == BEGUN_AT.timestamp()
    assert values["cutline_drift", "state", "order", "channel=web"] == 4
    assert values["cutline_drift", "state", "order", "unknown"] == 0


def test_nothing_is_said_of_what_was_never_run(tmp_path: Path) -> None:
    slice_ = RolledOutSlice(tmp_path / "run")
    labels = {m.labels["slice"] for m in cutline.Project.open(slice_.folder).metrics()}
    assert labels == {REGION}
    Control.open(load(slice_.folder).file.control, slice_.folder)
    (slice_.folder / "control.db").unlink()
    assert cutline.Project.open(slice_.folder).metrics() == ()


def test_prometheus_reads_what_is_written(
    slice_: RolledOutSlice, command_line: CommandLine, tmp_path: Path
) -> None:
    text = command_line("metrics", "--project", slice_.folder).stdout
    families = {family.name: family for family in text_string_to_metric_families(text)}
    assert set(families) <= set(METRICS)
    samples = {(s.name, *s.labels.items()): s.value for f in families.values() for s in f.samples}
    metrics = cutline.Project.open(slice_.folder).metrics()
    assert samples == {(m.name, *sorted(m.labels.items())): m.value for m in metrics}
    assert all(family.documentation == METRICS[name].says for name, family in families.items())
    file = tmp_path / "cutline.prom"
    done = command_line("metrics", "--out", file, "--project", slice_.folder)
    assert (done.returncode, file.read_text(encoding="utf-8")) == (0, text)
    document = json.loads(command_line("metrics", "--json", "--project", slice_.folder).stdout)
    assert [entry["name"] for entry in document] == [m.name for m in metrics]


def test_a_file_that_cannot_be_written_is_named(
    slice_: RolledOutSlice, command_line: CommandLine
) -> None:
    done = command_line("metrics", "--out", "/nowhere/m.prom", "--project", slice_.folder)
    assert done.returncode == 2
    assert "cannot be written to /nowhere/m.prom" in done.stderr


def test_labels_that_mean_something_in_the_format_are_escaped() -> None:
    rule = 'a "quoted"\nrule\\'
    labels = {"context": "c", "slice": "s", "rule": rule}
    metrics = cutline.Metrics([cutline.MetricSample("cutline_exceptions", labels, 2)])
    (family,) = text_string_to_metric_families(metrics.text())
    assert family.samples[0].labels == labels


def test_the_page_and_the_dashboard_have_every_metric_and_no_other() -> None:
    page = (DOCS / "metrics.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `(cutline_\w+)`", page, re.MULTILINE)) == set(METRICS)
    dashboard = json.loads((DOCS / "grafana-dashboard.json").read_text(encoding="utf-8"))
    queries = [t["expr"] for panel in dashboard["panels"] for t in panel.get("targets", ())]
    assert {name for query in queries for name in re.findall(r"cutline_\w+", query)} == set(METRICS)
    for panel in dashboard["panels"]:
        for target in panel.get("targets", ()):
            (metric,) = re.findall(r"cutline_\w+", target["expr"])
            used_labels = re.findall(r"\{\{(\w+)\}\}", target["legendFormat"])
            used_labels += re.findall(r'(\w+)=~"', target["expr"])
            assert set(used_labels) <= set(METRICS[metric].labels), target["expr"]
    documented = re.findall(r"^\| `(cutline_\w+)` \| (.+?) \| (.+?) \|$", page, re.MULTILINE)
    assert {
        name: (says, tuple(re.findall(r"`(\w+)`", labels))) for name, labels, says in documented
    } == {name: (metric.says, metric.labels[2:]) for name, metric in METRICS.items()}
    places = [tuple(panel["gridPos"].values()) for panel in dashboard["panels"]]
    assert len(set(places)) == len(places)
    assert len({panel["id"] for panel in dashboard["panels"]}) == len(places)
