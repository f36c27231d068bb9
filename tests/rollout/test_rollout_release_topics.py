"""Releases with topics of their own, in files: what is sent to them, who may read them, and when
they go."""

from __future__ import annotations

import json
import shutil
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from pyspark.sql import SparkSession
from sqlalchemy import create_engine

from cutline.consumer import ControlDatabase, FilesSource
from cutline.errors import RunFailed
from cutline.rollout import release_topics
from support.command_line import CommandLine
from support.finished_demo import finished_demo
from support.rolled_out import CONTEXT, REGION
from support.scripts import RETAILER

SLICE = (CONTEXT, "--region", REGION)


class Rollout:
    """The demo's slice whose run is GO, by the command line."""

    def __init__(self, project: Path, command_line: CommandLine) -> None:
        self.project, self._command_line = project, command_line
        self.topics = project / "topics"
        self.run_id = RETAILER.newest_run(project, REGION)

    def __call__(self, command: str, *options: str, code: int = 0) -> str:
        words = ("rollout", *command.split(), *SLICE, *options, "--project", self.project)
        done = self._command_line(*words)
        assert done.returncode == code, (words, done.stdout, done.stderr)
        return done.stdout + done.stderr

    def of_release(self, number: int) -> list[str]:
        """The topics of a release."""
        begins = f"retail.release.{CONTEXT}.{number}.{REGION}."
        return sorted(t.name for t in self.topics.iterdir() if t.name.startswith(begins))

    def releases(self) -> list[dict[str, Any]]:
        """The releases as the ledger lists them, newest first."""
        releases: list[dict[str, Any]] = json.loads(self("ledger", "--json"))["releases"]
        return releases

    @property
    def aggregates(self) -> set[str]:
        """Those of the context, by the topics of states that the run has."""
        states = self.topics.glob(f"retail.{CONTEXT}.*.state")
        return {path.name.split(".")[-2] for path in states}

    def records(self, topic: str) -> dict[bytes | None, list[tuple[str, bytes | None]]]:
        """By key, id and value of each record in its order."""
        source, records = FilesSource(self.topics), defaultdict(list)
        for number in source.partitions(topic):
            for record in source.records(topic, number):
                headers = dict(record.headers)
                records[record.key].append((str(headers["ce_id"]), record.value))
        return records

    def tamper(self, topic: str) -> None:
        """Somebody else writes a record there."""
        file = self.topics / topic / "00000.jsonl"
        end = sum(1 for _ in file.open())
        with file.open("a") as lines:
            lines.write(f'{{"partition":0,"offset":{end},"key":"k","headers":{{}},"value":1}}\n')


@pytest.fixture
def rollout(spark: SparkSession, tmp_path: Path, command_line: CommandLine) -> Iterator[Rollout]:
    project = finished_demo(spark, tmp_path / "retail").project
    config = project / "cutline.yaml"
    document = yaml.safe_load(config.read_text())
    config.write_text(yaml.safe_dump(document | {"rollout": {"release_topics": True}}))
    rollout = Rollout(project, command_line)
    rollout("open")
    yield rollout
    shutil.rmtree(project)


def test_a_release_has_what_its_run_published_and_nothing_else(rollout: Rollout) -> None:
    planned = rollout("stage", rollout.run_id, "--dry-run")
    assert "send history and states to topics under the release's name" in planned
    assert rollout.of_release(1) == []
    rollout("stage", rollout.run_id)
    names = rollout.of_release(1)
    kinds = [name.removeprefix(f"retail.release.{CONTEXT}.1.{REGION}.") for name in names]
    assert kinds == sorted(
        f"{aggregate}.{kind}" for aggregate in rollout.aggregates for kind in ("state", "synthetic")
    )
    for name, kind in zip(names, kinds, strict=True):
        shared = rollout.records(f"retail.{CONTEXT}.{kind}")
        assert rollout.records(name) == shared, kind
    assert any(rollout.records(name) for name in names)
    [release] = rollout.releases()
    assert sorted(release["positions"]) == names
    rollout("switch reads")
    engine = create_engine(f"sqlite:///{rollout.project}/control.db")
    pointer = ControlDatabase(engine).release(CONTEXT, REGION)
    assert pointer is not None
    source = FilesSource(rollout.topics)
    for (topic, number), end in pointer.ends.items():
        assert [r.offset for r in source.records(topic, number)][-1:] == ([end - 1] if end else [])
    assert {topic for topic, _ in pointer.ends} == set(names)


def test_topics_that_somebody_changed_are_read_by_nobody(rollout: Rollout) -> None:
    rollout("stage", rollout.run_id)
    (topic, *_) = rollout.of_release(1)
    rollout.tamper(topic)
    refused = rollout("switch reads", "5", code=1)
    assert f"topic {topic} holds other records than the release" in refused
    assert f"next: cutline rollout stage {CONTEXT} --region {REGION} {rollout.run_id}" in refused
    shutil.rmtree(rollout.topics / topic)
    assert f"topic {topic} is gone" in rollout("switch reads", code=1)
    rollout("stage", rollout.run_id)
    rollout("switch reads")
    assert rollout.of_release(2)
    rollout("cancel")
    assert rollout.of_release(1) == rollout.of_release(2) == []


def test_what_an_attempt_left_that_was_killed_is_made_anew(
    rollout: Rollout, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object) -> None:
        raise RunFailed("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(release_topics, "_refuse_other_counts", killed)
        failed = rollout("stage", rollout.run_id, code=3)
    assert "step publish-release failed: the disk is full" in failed
    assert f"next: cutline rollout resume {CONTEXT} --region {REGION}" in failed
    (topic, *_) = rollout.of_release(1)
    rollout.tamper(topic)
    rollout("resume")
    assert rollout.records(topic) == rollout.records(
        topic.replace(f"release.{CONTEXT}.1.{REGION}", CONTEXT)
    )
    [release] = rollout.releases()
    assert sorted(release["positions"]) == rollout.of_release(1)


def test_a_release_of_before_the_setting_is_staged_again(rollout: Rollout) -> None:
    config = rollout.project / "cutline.yaml"
    with_topics = config.read_text()
    config.write_text(with_topics.replace("release_topics: true", "release_topics: false"))
    rollout("stage", rollout.run_id)
    assert rollout.of_release(1) == []
    config.write_text(with_topics)
    refused = rollout("switch reads", code=1)
    assert "release 1 was staged before cutline.yaml asked for topics of its own" in refused


def test_topics_are_guarded_and_removed_when_the_setting_is_gone(rollout: Rollout) -> None:
    """The release still names them to its readers."""
    rollout("stage", rollout.run_id)
    (topic, *_) = rollout.of_release(1)
    config = rollout.project / "cutline.yaml"
    config.write_text(config.read_text().replace("release_topics: true", "release_topics: false"))
    rollout.tamper(topic)
    assert "holds other records" in rollout("switch reads", "5", "--dry-run", code=1)
    rollout("cancel")
    assert rollout.of_release(1) == []
