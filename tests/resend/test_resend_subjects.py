"""The histories and states of named subjects are sent again, wholes before parts, once."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import SecretStr
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import cutline
from cutline.api import resends
from cutline.consumer.binding import envelope_of
from cutline.consumer.files import FilesSource
from cutline.consumer.received import Received
from cutline.control import Control
from cutline.errors import ConfigurationError, CutlineError, RunFailed
from cutline.project import load
from cutline.replay.sending import ReplayFiles
from cutline.resend import members
from cutline.resend.choosing import chosen_subjects
from cutline.resend.request import ResendRequest
from cutline.run.past import workspace_as_recorded
from cutline.workspace import Workspace
from support.command_line import CommandLine
from support.finished_demo import finished_demo
from support.moved import move_writes, set_writes
from support.resending import TOPIC, declare_resends
from support.whole_runs import REGION


@pytest.fixture(scope="module")
def finished(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo after its runs, which says where subjects may be sent."""
    folder = finished_demo(spark, tmp_path_factory.mktemp("resend") / "retail").project
    declare_resends(folder)
    return folder


@pytest.fixture
def project(finished: Path) -> Iterator[cutline.Project]:
    yield cutline.Project.open(finished)
    for place in (finished / "topics" / TOPIC, finished / "lake" / "_replays"):
        shutil.rmtree(place, ignore_errors=True)


def standing(folder: Path) -> list[Received]:
    source = FilesSource(folder / "topics")
    return [r for n in source.partitions(TOPIC) for r in source.records(TOPIC, n)]


def timeline(project: cutline.Project, run: str, where: str) -> list[Any]:
    frame = project.find_run(context="fulfilment", region=REGION).table("timeline", masked=False)
    return frame.where(where).orderBy("subject", "ordinal").collect()


def a_line(project: cutline.Project) -> tuple[str, str]:
    """A line of an order whose lines and it all have a history, and the order."""
    states = project.find_run(context="fulfilment", region=REGION).table("state_fulfilment_line")
    row = states.orderBy("subject").select("subject", "order_no").first()
    assert row is not None
    return row["subject"], row["order_no"]


def test_a_line_comes_behind_its_order_and_only_once(project: cutline.Project) -> None:
    line, order = a_line(project)
    look = project.resend("fulfilment", [line], region=REGION, to=TOPIC, dry_run=True)
    assert not (project.folder / "topics" / TOPIC).exists()
    sent = project.resend("fulfilment", [line], region=REGION, to=TOPIC)
    assert (sent.id, sent.records) == (look.id, look.records)
    counts = {(c.aggregate, c.is_asked): (c.fate, c.subjects) for c in sent.subjects}
    assert counts == {
        ("customer_order", False): ("sent", 1),
        ("fulfilment_line", True): ("sent", 1),
    }
    expected = [
        row.id
        for owner, subject in (("customer_order", order), ("fulfilment_line", line))
        for row in timeline(project, sent.run, f"aggregate = '{owner}' AND subject = '{subject}'")
    ]
    records = standing(project.folder)
    events = [envelope_of(record) for record in records]
    by_subject = {e.subject: [x.id for x in events if x.subject == e.subject] for e in events}
    assert by_subject[order] + by_subject[line] == expected
    assert {(e.migreplaysafe, e.extensions["migreplay"]) for e in events} == {(False, sent.id)}
    assert [r.key for r in records] == [e.subject.encode() for e in events]
    again = project.resend("fulfilment", [line], region=REGION, to=TOPIC)
    assert (again.already_complete, again.records) == (True, sent.records)
    assert standing(project.folder) == records
    look = project.resend("fulfilment", [line, line], region=REGION, to=TOPIC, dry_run=True)
    assert look.already_complete
    anew = project.resend("fulfilment", [line], region=REGION, to=TOPIC, again=True)
    assert anew.id != sent.id
    assert len(standing(project.folder)) == 2 * len(records)


def test_who_is_sent_alone_and_who_a_condition_chooses(project: cutline.Project) -> None:
    line, order = a_line(project)
    alone = project.resend("fulfilment", [line], region=REGION, to=TOPIC, alone=True)
    assert [c.aggregate for c in alone.subjects] == ["fulfilment_line"]
    chosen = project.resend(
        "fulfilment",
        region=REGION,
        to=TOPIC,
        aggregate="fulfilment_line",
        where=f"order_no = '{order}'",
        dry_run=True,
    )
    states = project.find_run(context="fulfilment", region=REGION).table("state_fulfilment_line")
    lines = states.where(f"order_no = '{order}'").count()
    counts = {c.aggregate: c.subjects for c in chosen.subjects}
    assert counts == {"customer_order": 1, "fulfilment_line": lines}


def test_newest_states(project: cutline.Project) -> None:
    _, order = a_line(project)
    sent = project.resend("fulfilment", [order], region=REGION, to=TOPIC, state=True)
    assert sent.records == {"state-projected": 1}
    [record] = standing(project.folder)
    [published] = [
        json.loads(line)
        for path in (project.folder / "topics/retail.fulfilment.customer_order.state").glob("*")
        for line in path.read_text(encoding="utf-8").splitlines()
        if json.loads(line)["key"] == order
    ]
    assert record.key == order.encode()
    assert record.value is not None
    assert json.loads(record.value) == published["value"]
    assert envelope_of(record).id == published["headers"]["ce_id"]


def test_a_kill_in_the_middle_is_gone_on_from(
    project: cutline.Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    line, _ = a_line(project)
    read_back = ReplayFiles._read_back

    def killed(*_: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(ReplayFiles, "_read_back", killed)
    with pytest.raises(KeyboardInterrupt):
        project.resend("fulfilment", [line], region=REGION, to=TOPIC)
    monkeypatch.setattr(ReplayFiles, "_read_back", read_back)
    written = standing(project.folder)
    # Another run is GO since.
    run = project.find_run(context="fulfilment", region=REGION).id
    newer = replace(
        Control.open(SecretStr("sqlite:///control.db"), project.folder).runs()[0], run_id="newer"
    )
    monkeypatch.setattr(resends, "newest_go", lambda _: newer)
    table = next((project.folder / "lake").rglob(f"{run}/timeline"))
    cleaned = table.rename(project.folder / "cleaned")
    with pytest.raises(RunFailed, match=f"run {run}, whose tables are in the lake no") as refusal:
        project.resend("fulfilment", [line], region=REGION, to=TOPIC)
    assert refusal.value.next_step.startswith("Remove ")
    cleaned.rename(table)
    sent = project.resend("fulfilment", [line], region=REGION, to=TOPIC)
    assert (sent.went_on, sent.run) == (True, run)
    assert sum(sent.records.values()) == len(written)
    assert standing(project.folder) == written


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"subjects": ["SO-none"]}, "has no history of SO-none"),
        ({"subjects": ["a b;c"]}, "cutline explain 'a b;c' --context fulfilment"),
        ({"subjects": ["x"], "where": "true"}, "said in several ways"),
        ({}, "nobody is named"),
        ({"where": "true"}, "has several aggregates"),
        ({"where": "state = 1", "aggregate": "customer_order"}, "cannot be applied"),
        (
            {"where": "cast(subject as int) = 1", "aggregate": "customer_order"},
            "cannot be applied: [CAST_INVALID_INPUT]",
        ),
        ({"where": "java_method('a', 'b') = 1", "aggregate": "customer_order"}, "java_method"),
        ({"where": "subject = ''", "aggregate": "customer_order"}, "has no customer_order"),
        ({"cluster": "none"}, "has no breaks of cluster 'none'"),
        ({"subjects": ["x"], "aggregate": "order"}, "no aggregate 'order'"),
        ({"subjects": ["x"], "state": True, "alone": True}, "--alone is for histories"),
        ({"subjects": ["x"], "to": "elsewhere"}, "has no owner among resends.fulfilment"),
        ({"subjects": ["x"], "rate": 5}, "--rate is for topics on Kafka"),
    ],
)
def test_what_is_refused_before_anything_is_sent(
    project: cutline.Project, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ConfigurationError) as refused:
        project.resend("fulfilment", **{"region": REGION, "to": TOPIC, **options})
    assert message in str(refused.value)
    assert refused.value.left_behind == "Nothing was sent."
    assert not (project.folder / "topics" / TOPIC).exists()
    assert not (project.folder / "lake" / "_replays").exists()


@pytest.mark.parametrize(
    ("moved", "says"),
    [
        (SimpleNamespace(epoch=3, is_off_legacy=True, is_given_back=False), "since epoch 3"),
        (SimpleNamespace(epoch=3, is_off_legacy=True, is_given_back=True), "on their way back"),
    ],
)
def test_states_of_before_the_flip_are_not_the_newest(
    project: cutline.Project, monkeypatch: pytest.MonkeyPatch, moved: Any, says: str
) -> None:
    monkeypatch.setattr(Control, "rollout", lambda *_: moved)
    refuse(project, says)


def test_states_that_another_slice_s_new_side_writes_are_not_the_newest(
    project: cutline.Project,
) -> None:
    control = Control.open(load(project.folder).file.control, project.folder)
    run = project.runs("fulfilment", region=REGION)[0].run_id
    move_writes(control, "us-east", run, "fulfilment")
    try:
        refuse(project, "subjects of this run: .* of customer_order are in us-east too")
    finally:
        set_writes(control, "us-east", "legacy", "fulfilment")


def refuse(project: cutline.Project, says: str) -> None:
    """No states are sent, and it is said why."""
    with pytest.raises(CutlineError, match=says) as refused:
        project.resend("fulfilment", ["x"], region=REGION, to=TOPIC, state=True)
    assert refused.value.exit_code == 1


def test_nothing_of_a_no_go_is_sent(project: cutline.Project) -> None:
    first = project.runs("fulfilment", region=REGION)[-1]
    assert first.decision == "no-go"
    with pytest.raises(CutlineError) as refused:
        project.resend("fulfilment", ["x"], region=REGION, to=TOPIC, run=first.run_id)
    assert refused.value.exit_code == 1
    with pytest.raises(CutlineError, match="No run of fulfilment us-east is GO yet"):
        project.resend("fulfilment", ["x"], region="us-east", to=TOPIC)


def test_the_command(project: cutline.Project, command_line: CommandLine) -> None:
    line, _ = a_line(project)
    words = ("resend", "fulfilment", line, "--region", REGION, "--to", TOPIC)
    done = command_line(*words, "--project", project.folder)
    assert done.returncode == 0, done.stderr
    assert "fulfilment_line: sent\n" in done.stdout
    assert "customer_order: sent, as the whole of others" in done.stdout
    document = json.loads(command_line(*words, "--project", project.folder, "--json").stdout)
    assert (document["already_complete"], document["sent"]) == (True, 2)


@pytest.fixture
def workspace(finished: Path) -> Workspace:
    """The run that is GO, as its stages saw it."""
    return workspace_of_run(finished, "go")


def workspace_of_run(folder: Path, decision: str) -> Workspace:
    project = load(folder, REGION)
    control = Control.open(project.file.control, project.folder)
    record = next(r for r in control.runs("fulfilment", REGION) if r.decision == decision)
    return workspace_as_recorded(project, record)


def fates(members: DataFrame) -> dict[str, tuple[str, bool]]:
    return {row["subject"]: (row["fate"], row["is_asked"]) for row in members.collect()}


def test_a_part_of_whom_is_held_waits_and_others_do_not(
    spark: SparkSession,
    project: cutline.Project,
    workspace: Workspace,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    line, order = a_line(project)
    states = project.find_run(context="fulfilment", region=REGION).state("fulfilment_line")
    line_elsewhere = states.where(F.col("order_no") != order).orderBy("subject").first()
    assert line_elsewhere is not None
    held_subjects = spark.createDataFrame(
        [("customer_order", order)], "aggregate string, subject string"
    )
    monkeypatch.setattr(members, "held_subjects", lambda _: held_subjects)
    named_subjects = [
        ("fulfilment_line", line),
        ("fulfilment_line", line_elsewhere["subject"]),
        ("fulfilment_line", "nobody"),
    ]
    chosen = spark.createDataFrame(named_subjects, "aggregate string, subject string")
    assert fates(members.members_of(workspace, chosen, alone=False)) == {
        line: ("held", True),
        line_elsewhere["subject"]: ("sent", True),
        line_elsewhere["order_no"]: ("sent", False),
        "nobody": ("without-history", True),
    }
    # Nor is it sent alone.
    assert fates(members.members_of(workspace, chosen, alone=True)) == {
        line: ("held", True),
        line_elsewhere["subject"]: ("sent", True),
        "nobody": ("without-history", True),
    }


def test_the_subjects_of_a_cluster(finished: Path, project: cutline.Project) -> None:
    before = workspace_of_run(finished, "no-go")
    breaks = project.find_run(before.run_id).breaks().where("level = 'state'")
    row = breaks.orderBy("subject").first()
    assert row is not None
    request = ResendRequest("fulfilment", REGION, TOPIC, cluster=row["cluster"])
    subjects = {r["subject"] for r in chosen_subjects(before, request).collect()}
    expected = {r["subject"] for r in breaks.where(F.col("cluster") == row["cluster"]).collect()}
    assert subjects == expected
