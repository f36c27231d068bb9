"""The commands of the feed: every version that stands is fed, and what is put aside is settled."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from cutline.readmodels import AsideRecord, FedPartition, FeedBatch, ReadModel
from support.command_line import CommandLine
from support.rolled_out import CONTEXT, REGION, RolledOutSlice, with_literal_read_models

SLICE = (CONTEXT, "--region", REGION)
TOPIC = f"retail.{CONTEXT}.customer_order.live"
READ_MODEL = {"url": "sqlite:///readmodel.db"}


@pytest.fixture
def slice_(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RolledOutSlice:
    with_literal_read_models(monkeypatch)
    slice_ = RolledOutSlice(tmp_path, read_model=READ_MODEL, live=("customer_order",))
    slice_.do("open")
    slice_.do("stage", "run-1")
    folder = tmp_path / "topics" / TOPIC
    folder.mkdir(parents=True)
    (folder / "00000.jsonl").touch()
    return slice_


def model_of(slice_: RolledOutSlice) -> ReadModel:
    model = slice_.work().read_model
    assert model is not None
    return model


def put_aside(slice_: RolledOutSlice, *versions: int) -> None:
    """Two records of a subject, of which the first cannot be read, and one of an older epoch."""
    records = [
        AsideRecord(TOPIC, 0, 10, "invalid-native-payload", "no amount", "a", "o1", "{}"),
        AsideRecord(TOPIC, 0, 20, "waits-behind-exception", "behind it", "a", "o1", "{}"),
        AsideRecord(TOPIC, 0, 30, "older-epoch", "its epoch is 1", "a", "o2", "{}"),
    ]
    model = model_of(slice_)
    for version in versions:
        state = model.feed_state(version)
        batch = FeedBatch(
            state.turn if state else 0,
            f"run-{version}",
            aside=records,
            partitions={(TOPIC, 0): FedPartition("", 0, 0)},
        )
        model.feed(version, batch)


def test_every_version_that_stands_is_fed(
    slice_: RolledOutSlice, command_line: CommandLine
) -> None:
    slice_.do("switch reads", None)
    slice_.run("run-2")
    slice_.do("stage", "run-2")
    done = command_line("rollout", "feed", *SLICE, "--project", slice_.folder, "--json")
    assert done.returncode == 0, done.stderr
    nothing = dict.fromkeys(("records", "events", "rows", "ended", "aside"), 0)
    assert json.loads(done.stdout) == {
        "versions": [{"version": n, "run_id": f"run-{n}"} | nothing for n in (1, 2)]
    }
    done = command_line("rollout", "feed", *SLICE, "--project", slice_.folder)
    assert "version 2: 0 records, 0 new events, 0 rows written, 0 ended, 0 put aside" in done.stdout
    alone = command_line("rollout", "feed", *SLICE, "--version", 1, "--project", slice_.folder)
    assert alone.stdout.count("version ") == 1
    wrong = command_line("rollout", "feed", *SLICE, "--version", 9, "--project", slice_.folder)
    assert (wrong.returncode, "These are: 1, 2." in wrong.stderr) == (2, True)


@pytest.mark.parametrize(
    ("live", "read_model", "prepare", "says"),
    [
        ((), READ_MODEL, ["open"], f"contexts.{CONTEXT}.live.aggregates is missing"),
        (("customer_order",), None, ["open"], "rollout.read_model is missing"),
        (("customer_order",), READ_MODEL, [], f"rollout of {CONTEXT}/{REGION} was never opened"),
        (("customer_order",), READ_MODEL, ["open", "cancel"], "was cancelled"),
        (("customer_order",), READ_MODEL, ["open"], f"No release of {CONTEXT}/{REGION} has tables"),
    ],
)
def test_where_there_is_nothing_to_feed_it_is_said(
    tmp_path: Path,
    command_line: CommandLine,
    monkeypatch: pytest.MonkeyPatch,
    live: tuple[str, ...],
    read_model: Any,
    prepare: list[str],
    says: str,
) -> None:
    with_literal_read_models(monkeypatch)
    slice_ = RolledOutSlice(tmp_path, live=live, read_model=read_model)
    for command in prepare:
        slice_.do(command)
    if not live:
        slice_.do("stage", "run-1")
    done = command_line("rollout", "feed", *SLICE, "--project", tmp_path)
    assert done.returncode == 2
    assert says in done.stderr


def test_what_is_put_aside_is_listed_admitted_and_discarded(
    slice_: RolledOutSlice, command_line: CommandLine
) -> None:
    slice_.do("switch reads", None)
    slice_.run("run-2")
    slice_.do("stage", "run-2")
    project = ("--project", slice_.folder)
    done = command_line("rollout", "aside", *SLICE, *project)
    assert "Nothing is put aside." in done.stdout
    put_aside(slice_, 1, 2)
    (poison, waiting, late) = json.loads(
        command_line("rollout", "aside", *SLICE, *project, "--json").stdout
    )
    assert (poison["record"], poison["versions"]) == (f"{TOPIC}/0/10", [1, 2])
    assert "payload" not in poison
    assert (waiting["rule"], late["rule"]) == ("waits-behind-exception", "older-epoch")
    assert "no amount" in command_line("rollout", "aside", *SLICE, *project).stdout

    done = command_line("rollout", "admit", CONTEXT, "older-epoch", *SLICE[1:], *project)
    assert done.stdout.startswith("2 admitted")
    done = command_line("rollout", "admit", CONTEXT, "older-epoch", *SLICE[1:], *project)
    assert done.returncode == 2
    assert f"cutline rollout aside {CONTEXT} --region {REGION}" in done.stderr
    discard = ("rollout", "discard", CONTEXT, poison["record"], *SLICE[1:], *project)
    assert command_line(*discard).returncode == 2
    assert command_line(*discard, "--why", "a test order", "--by", "kim").stdout.startswith(
        "2 disc"
    )
    rows = json.loads(command_line("rollout", "aside", *SLICE, *project, "--json").stdout)
    assert [(row["rule"], row["decision"]) for row in rows] == [
        ("waits-behind-exception", None),
        ("older-epoch", "admitted"),
    ]
    assert [r.position for r in model_of(slice_).due_records(1, 10)] == [20, 30]
    assert [r.position for r in model_of(slice_).due_records(1, 1)] == [20]


def test_a_feed_that_stays_ends_at_sigterm(
    slice_: RolledOutSlice, command_line: CommandLine
) -> None:
    model = model_of(slice_)

    def end_when_fed() -> None:
        while model.feed_state(1) is None:
            time.sleep(0.1)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=end_when_fed).start()
    done = command_line(
        "rollout", "feed", *SLICE, "--every", "1s", "--project", slice_.folder, "--json"
    )
    assert done.returncode == 0, done.stderr
    state = model.feed_state(1)
    assert state is not None
