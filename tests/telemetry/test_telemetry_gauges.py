"""The numbers of `cutline metrics` as gauges of OpenTelemetry: the same, sent when asked for."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

import cutline
from cutline.api.metrics.names import METRICS
from cutline.api.metrics.sending import send_after_run
from cutline.errors import ConfigurationError
from cutline.project import load
from cutline.secrets import forget_secrets, keep_secret
from cutline.telemetry import Gauge, refuse_without_extra
from cutline.telemetry.gauges import instrument_name, measured_gauges
from support.collector import Collector, attributes, running_collector
from support.command_line import CommandLine
from support.paths import DOCS
from support.rolled_out import CONTEXT, REGION, RolledOutSlice
from support.sample_project import document, write


@pytest.fixture
def collector() -> Iterator[Collector]:
    with running_collector() as running:
        yield running


def with_telemetry(folder: Path, **telemetry: Any) -> Path:
    """A project with a slice that was run, and telemetry."""
    RolledOutSlice(folder)
    config = folder / "cutline.yaml"
    written = yaml.safe_load(config.read_text(encoding="utf-8"))
    config.write_text(yaml.safe_dump(written | {"telemetry": telemetry}), encoding="utf-8")
    return folder


def test_the_collector_has_the_numbers_of_the_command(
    collector: Collector, tmp_path: Path, command_line: CommandLine
) -> None:
    folder = with_telemetry(tmp_path, endpoint=collector.endpoint)
    done = command_line("metrics", "--send", "--project", folder)
    metrics = cutline.Project.open(folder).metrics()
    assert (done.returncode, done.stdout) == (0, f"{len(metrics)} numbers were sent\n")
    assert collector.gauges() == {
        (instrument_name(m.name)[0], *sorted(m.labels.items())): m.value for m in metrics
    }
    (resource,) = collector.metrics[-1].resource_metrics
    assert attributes(resource.resource)["cutline.project"] == load(folder).file.name
    metric = next(
        metric
        for metric in resource.scope_metrics[0].metrics
        if metric.name == "cutline.go_timestamp"
    )
    assert (metric.unit, metric.description) == (
        "s",
        METRICS["cutline_go_timestamp_seconds"].says,
    )


def test_numbers_are_sent_after_a_run_whatever_became_of_it(
    collector: Collector, tmp_path: Path
) -> None:
    project = cutline.Project.open(with_telemetry(tmp_path, endpoint=collector.endpoint))
    with pytest.raises(ConfigurationError):
        # The sources of the sample are not there.
        project.run(CONTEXT, region=REGION)
    assert len(collector.gauges()) == len(project.metrics())


def test_a_collector_that_is_gone_fails_no_run(
    collector: Collector, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    collector.status = 400
    folder = with_telemetry(tmp_path, endpoint=collector.endpoint)
    with caplog.at_level("WARNING", logger="cutline.api.metrics.sending"):
        send_after_run(load(folder), cutline.Project.open(folder).metrics)
    assert [record.message for record in caplog.records if record.name.startswith("cutline")] == [
        "metrics not sent"
    ]
    assert len(collector.metrics) == 1


def test_the_environment_can_switch_it_off(
    collector: Collector,
    tmp_path: Path,
    command_line: CommandLine,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OTEL_SDK_DISABLED", "true")
    folder = with_telemetry(tmp_path, endpoint=collector.endpoint)
    done = command_line("metrics", "--send", "--project", folder)
    assert (done.returncode, done.stdout) == (0, "0 numbers were sent\n")
    assert collector.metrics == []


def test_the_section_of_the_page_is_read(tmp_path: Path) -> None:
    page = (DOCS / "metrics.md").read_text(encoding="utf-8")
    (section,) = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    loaded = load(write(tmp_path, document() | yaml.safe_load(section))).file.telemetry
    assert loaded is not None
    assert loaded.endpoint == "http://collector:4318"


def test_names_do_not_meet() -> None:
    assert len({instrument_name(name)[0] for name in METRICS}) == len(METRICS)
    assert instrument_name("cutline_go_timestamp_seconds") == ("cutline.go_timestamp", "s")
    assert instrument_name("cutline_exceptions") == ("cutline.exceptions", "{count}")


def test_a_secret_is_in_no_label(tmp_path: Path) -> None:
    project = load(write(tmp_path, document()))
    keep_secret("geheim-1234", "${PW}")
    try:
        gauge = Gauge("cutline_exceptions", "Rows", {"rule": "of geheim-1234"}, 2)
        measured = measured_gauges(project, [gauge])
    finally:
        forget_secrets()
    assert measured is not None
    assert "geheim" not in measured.to_json()
    assert "of ${PW}" in measured.to_json()
    assert measured_gauges(project, []) is None


def test_a_collector_that_refuses_is_said_so(
    collector: Collector, tmp_path: Path, command_line: CommandLine
) -> None:
    collector.status = 400
    folder = with_telemetry(tmp_path, endpoint=collector.endpoint)
    done = command_line("metrics", "--send", "--project", folder)
    assert done.returncode == 3
    assert "the collector did not take the numbers" in done.stderr


@pytest.mark.parametrize("telemetry", [None, {"metrics": False}])
def test_numbers_are_sent_where_cutline_yaml_says_so(
    tmp_path: Path, command_line: CommandLine, telemetry: dict[str, Any] | None
) -> None:
    folder = tmp_path / "project"
    if telemetry is None:
        RolledOutSlice(folder)
    else:
        with_telemetry(folder, **telemetry)
    done = command_line("metrics", "--send", "--project", folder)
    assert done.returncode == 2
    assert "telemetry" in done.stderr


def test_without_the_extra_it_is_said_what_installs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command_line: CommandLine
) -> None:
    folder = with_telemetry(tmp_path, endpoint="http://127.0.0.1:1")
    monkeypatch.setattr(importlib.util, "find_spec", lambda *_: None)
    monkeypatch.setattr("cutline.telemetry.installed.find_spec", lambda *_: None)
    with pytest.raises(ConfigurationError, match="OpenTelemetry"):
        refuse_without_extra(load(folder))
    checked = cutline.Project.open(folder).check()
    assert any("telemetry needs OpenTelemetry" in problem for problem in checked.problems)
    for words in (("metrics", "--send"), ("run", CONTEXT, "--region", REGION)):
        done = command_line(*words, "--project", folder)
        assert done.returncode == 2
        assert "pip install 'cutline[otel]'" in done.stderr


@pytest.mark.parametrize(
    ("telemetry", "says"),
    [
        ({"traces": False, "metrics": False}, "neither traces nor metrics"),
        ({"endpoint": "http://ada:geheim@host:4318"}, "holds a password as plain text"),
        ({"endpoint": "host:4317"}, "telemetry.endpoint"),
    ],
)
def test_what_is_written_wrong(tmp_path: Path, telemetry: dict[str, Any], says: str) -> None:
    with pytest.raises(ConfigurationError, match=says):
        load(write(tmp_path, {**document(), "telemetry": telemetry}))


def test_telemetry_makes_no_other_run(tmp_path: Path) -> None:
    digest = load(write(tmp_path, document())).digest
    assert load(write(tmp_path, {**document(), "telemetry": {}})).digest == digest
