"""A rehearsal of the demo on topics of files: what it sends, files, and leaves."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from pyspark.sql import SparkSession

import cutline
from cutline.control import Control, EvidenceKey
from cutline.errors import ConfigurationError, RunFailed
from cutline.rehearsal import denying
from cutline.rehearsal.file_topics import RehearsalFiles
from support import documents
from support.finished_demo import finished_demo
from support.gates import DECLARED
from support.scripts import RETAILER
from support.servers.process import NotReady, wait_for
from support.shared_jvm import in_jvm_of

SLICE = ("fulfilment", "eu-west")


@pytest.fixture(scope="module")
def project(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo, whose second run is GO, with readiness declared."""
    folder = finished_demo(spark, tmp_path_factory.mktemp("rehearsed") / "retail").project
    RETAILER.declare(folder)
    config = folder / "cutline.yaml"
    document = yaml.safe_load(config.read_text(encoding="utf-8"))
    document["readiness"] = {"fulfilment": DECLARED | {"rehearsal": {"share": 0.2}}}
    config.write_text(yaml.safe_dump(document), encoding="utf-8")
    return folder


def topics(project: Path) -> dict[str, list[bytes]]:
    """All that stands on the project's topics."""
    return {
        str(file.relative_to(project)): file.read_bytes().splitlines()
        for file in sorted((project / "topics").rglob("*.jsonl"))
    }


def control_of(project: cutline.Project) -> Control:
    loaded = project.load("eu-west")
    return Control.open(loaded.file.control, loaded.folder)


def colours(project: cutline.Project) -> dict[str, str]:
    gates = project.readiness(SLICE[0], region=SLICE[1]).gates
    return {gate.gate: gate.colour for gate in gates}


def test_a_rehearsal_turns_every_gate_green_and_leaves_nothing(project: Path) -> None:
    opened, before = cutline.Project.open(project), topics(project)
    assert colours(opened)["storage"] == "yellow"
    end = opened.rehearse(SLICE[0], region=SLICE[1], share=0.5, rate=100_000, made_by="ann")
    gates: dict[str, Any] = dict(end.figures["gates"])
    assert end.outcome == "passed", gates
    figures = end.figures
    assert 0 < figures["events"] <= 0.2 * figures["events_of_run"], "no more than is allowed"
    assert figures["states"] >= figures["subjects"] * 0.9
    assert gates["compatibility"]["records"] == figures["events"] + figures["states"]
    assert len(gates["compatibility"]["event_types"]) > 2
    assert gates["rollback"]["topics"] > 0
    way_back = gates["rollback"]["way_back"]
    assert way_back["passed"]
    assert "taken again by the legacy" in gates["rollback"]["says"]
    assert len(way_back["steps"]) > 10
    assert topics(project) == before
    assert set(colours(opened).values()) == {"green"}
    (evidence, *_) = control_of(opened).evidence(*SLICE)
    assert (evidence.outcome, evidence.made_by) == ("passed", "ann")
    assert evidence.removed_at is not None
    assert evidence.namespace == end.namespace
    assert (
        project / "topics" / f"{end.namespace}.fulfilment.customer_order.state"
    ).exists() is False


def test_what_a_kill_left_is_removed_by_the_namespace_that_was_filed(project: Path) -> None:
    opened = cutline.Project.open(project)
    control, before = control_of(opened), topics(project)
    run = control.runs(*SLICE)[0].run_id
    namespace = "retail.rehearsal.0badcafe"
    key = EvidenceKey("rehearsal", "cutline rehearse", run, None, {}, namespace, "ann")
    with control.lease(*SLICE) as lease:
        control.begin_evidence(key, lease)
    RehearsalFiles(str(project / "topics"), 4).make([f"{namespace}.a.b.synthetic"], [])
    assert topics(project) != before
    assert opened.clean_rehearsals(SLICE[0], region=SLICE[1]) == {namespace: 1}
    assert topics(project) == before
    assert control.evidence(*SLICE)[0].outcome == "killed"
    assert opened.clean_rehearsals(SLICE[0], region=SLICE[1]) == {}


def test_topics_that_are_there_still_are_removed_by_the_next(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = cutline.Project.open(project)

    def remove(topics: RehearsalFiles, namespace: str) -> int:
        return len(topics.standing(namespace))

    with monkeypatch.context() as patch:
        patch.setattr(RehearsalFiles, "remove", remove)
        end = opened.rehearse(SLICE[0], region=SLICE[1], share=0.1, rate=100_000)
    rollback = end.figures["gates"]["rollback"]
    assert (end.outcome, rollback["passed"]) == ("failed", False)
    assert f"{len(rollback['left'])} topics are there still" in rollback["says"]
    assert control_of(opened).evidence(*SLICE)[0].removed_at is None
    assert opened.clean_rehearsals(SLICE[0], region=SLICE[1]) == {
        end.namespace: len(rollback["left"])
    }
    assert control_of(opened).evidence(*SLICE)[0].removed_at is not None


def test_a_way_back_that_does_not_work_fails_its_gate_and_nothing_else(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(denying, "FROZEN_HOLDS", (2,))
    config = project / "cutline.yaml"
    text = config.read_text(encoding="utf-8")
    document = yaml.safe_load(text)
    document["rollout"]["legacy_writes"]["freeze"] = "UPDATE nowhere SET region = :region"
    config.write_text(yaml.safe_dump(document), encoding="utf-8")
    slice_ = ("fulfilment", "--region", "eu-west", "--project", str(project))
    try:
        opened = cutline.Project.open(project)
        end = opened.rehearse(SLICE[0], region=SLICE[1], share=0.2, rate=100_000)
        assert end.outcome == "failed"
        gates = end.figures["gates"]
        assert [name for name, gate in gates.items() if not gate["passed"]] == ["rollback"]
        assert gates["rollback"]["says"] == (
            "cutline.yaml: rollout.legacy_writes.freeze failed: no such table: nowhere. No denial "
            "of it is left in the legacy. Mend it, or wait until the database answers."
        )
        assert gates["rollback"]["topics"] > 0
        code, answer = documents.document("readiness", *slice_)
        assert code == 1
        (rollback,) = (gate for gate in answer["gates"] if gate["gate"] == "rollback")
        assert rollback["colour"] == "red"
        assert "legacy_writes.freeze failed" in rollback["says"]
        assert "eu-west" in rollback["next_command"]
    finally:
        config.write_text(text, encoding="utf-8")
    assert colours(cutline.Project.open(project))["rollback"] == "red"
    assert opened.rehearse(SLICE[0], region=SLICE[1], share=0.2, rate=100_000).outcome == "passed"
    assert colours(cutline.Project.open(project))["rollback"] == "green"


def test_a_rehearsal_that_fails_files_why_and_removes_what_it_made(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened, before = cutline.Project.open(project), topics(project)

    def full(*_: object) -> list[float]:
        raise RunFailed("the topics cannot be written")

    with monkeypatch.context() as patch:
        patch.setattr(RehearsalFiles, "send", full)
        with pytest.raises(RunFailed, match="cannot be written"):
            opened.rehearse(SLICE[0], region=SLICE[1], share=0.2)
    assert topics(project) == before
    evidence = control_of(opened).evidence(*SLICE)[0]
    failure = {"failure": "the topics cannot be written"}
    assert (evidence.outcome, evidence.figures) == ("failed", failure)
    assert colours(opened)["offsets"] == "red"


def test_what_cannot_be_rehearsed_is_refused_before_anything_is_sent(project: Path) -> None:
    opened = cutline.Project.open(project)
    runs = control_of(opened).runs(*SLICE)
    with pytest.raises(ConfigurationError, match="only what could be published"):
        opened.rehearse(SLICE[0], region=SLICE[1], run=runs[-1].run_id)
    with pytest.raises(ConfigurationError, match="no whole subject has so few"):
        opened.rehearse(SLICE[0], region=SLICE[1], share=0.0001)
    with pytest.raises(ConfigurationError, match=r"none of the live groups"):
        opened.rehearse(SLICE[0], region=SLICE[1], group="desk")
    with pytest.raises(ConfigurationError, match="no number above 0"):
        opened.rehearse(SLICE[0], region=SLICE[1], share=0)


@pytest.mark.process
def test_a_process_that_was_killed_while_it_sent_leaves_nothing_for_good(
    spark: SparkSession, project: Path
) -> None:
    opened, before = cutline.Project.open(project), topics(project)
    command = [sys.executable, "-m", "cutline", "rehearse", SLICE[0], "--region", SLICE[1]]
    rehearsal = subprocess.Popen(
        [*command, "--rate", "10", "--project", str(project)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=in_jvm_of(spark, dict(os.environ)),
    )

    def has_sent() -> None:
        if not any(topics(project)[name] for name in set(topics(project)) - set(before)):
            assert rehearsal.poll() is None
            raise NotReady("nothing was sent yet")

    wait_for(has_sent, 120)
    rehearsal.kill()
    rehearsal.wait(30)
    [(namespace, removed)] = opened.clean_rehearsals(SLICE[0], region=SLICE[1]).items()
    assert removed > 0
    assert topics(project) == before
    evidence = control_of(opened).evidence(*SLICE)[0]
    assert (evidence.namespace, evidence.outcome) == (namespace, "killed")
    # What was killed is no evidence, and the next one begins anew.
    assert "green" not in {colours(opened)["offsets"], colours(opened)["rollback"]}
    end = opened.rehearse(SLICE[0], region=SLICE[1], share=0.2, rate=100_000)
    assert end.outcome == "passed"
    assert set(colours(opened).values()) == {"green"}
