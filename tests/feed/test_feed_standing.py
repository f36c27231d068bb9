"""How far a feed is behind is said by board, numbers and guards."""

from __future__ import annotations

import datetime as dt
import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import cutline
from cutline.errors import RunFailed
from cutline.readmodels import AsideRecord, FedPartition, FeedBatch, ReadModel
from cutline.readmodels.database import ReadModelDatabase
from cutline.rollout import Guard
from support.command_line import CommandLine
from support.rolled_out import CONTEXT, REGION, RolledOutSlice, with_literal_read_models

SLICE = (CONTEXT, "--region", REGION)
TOPIC = f"retail.{CONTEXT}.customer_order.live"
READ_MODEL = {"url": "sqlite:///readmodel.db"}
FEED = f"cutline rollout feed {CONTEXT} --region {REGION}"
NEWLY_FED = re.compile(r"release 1 had everything \d\d? s ago, and 2 records came since")
"""What is said of a release that was fed just now; a busy machine may take some seconds."""


@pytest.fixture
def slice_(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RolledOutSlice:
    with_literal_read_models(monkeypatch)
    slice_ = RolledOutSlice(tmp_path, read_model=READ_MODEL, live=("customer_order",))
    (tmp_path / "topics" / TOPIC).mkdir(parents=True)
    write(slice_, 0)
    slice_.do("open")
    slice_.do("stage", "run-1")
    return slice_


def write(slice_: RolledOutSlice, records: int) -> None:
    """The live topic holds so many records."""
    path = slice_.folder / "topics" / TOPIC / "00000.jsonl"
    path.write_text("{}\n" * records, encoding="utf-8")


def model_of(slice_: RolledOutSlice) -> ReadModel:
    model = slice_.work().read_model
    assert model is not None
    return model


def fed(slice_: RolledOutSlice, records: int, version: int = 1, **more: Any) -> None:
    """A version is fed with so many records."""
    model = model_of(slice_)
    state = model.feed_state(version)
    partitions = {(TOPIC, 0): FedPartition("", 3 * records, 0)}
    turn = state.turn if state else 0
    model.feed(version, FeedBatch(turn, f"run-{version}", partitions=partitions, **more))


def fed_long_ago(slice_: RolledOutSlice) -> None:
    with closing(sqlite3.connect(slice_.folder / "readmodel.db")) as database, database:
        long_ago = dt.datetime(2026, 1, 1, tzinfo=dt.UTC).isoformat()
        database.execute("UPDATE cutline_read_model_feeds SET fed_at = ?", [long_ago])


def guard(slice_: RolledOutSlice, command: str, *arguments: Any) -> Guard:
    plan = slice_.plan(command, *arguments)
    return next(guard for guard in plan.guards if guard.name == "feed")


def test_who_does_not_feed_is_not_asked_to(slice_: RolledOutSlice) -> None:
    write(slice_, 5)
    assert guard(slice_, "switch reads", None).passed
    slice_.do("switch reads", None)
    slice_.do("switch writes")
    assert guard(slice_, "complete").passed


def test_a_release_that_is_fed_must_have_what_came(slice_: RolledOutSlice) -> None:
    write(slice_, 5)
    fed(slice_, 3)
    # While events come, some always are new.
    assert NEWLY_FED.fullmatch(guard(slice_, "switch reads", None).says)
    fed_long_ago(slice_)
    refused = guard(slice_, "switch reads", None)
    assert (refused.passed, refused.next_command) == (False, FEED)
    assert refused.says == "release 1 is 2 records behind the live topics"
    fed(slice_, 4, behind=1)
    assert not guard(slice_, "switch reads", None).passed
    fed(slice_, 5)
    fed_long_ago(slice_)
    assert guard(slice_, "switch reads", None).passed
    write(slice_, 1)
    refused = guard(slice_, "switch reads", None)
    assert f"topic {TOPIC}, partition 0 was made anew or cut off" in refused.says


@pytest.mark.parametrize("hours", [-1, 1])
def test_a_feed_is_as_old_as_the_clock_says_that_dated_it(
    slice_: RolledOutSlice, monkeypatch: pytest.MonkeyPatch, hours: int
) -> None:
    """The control database may have another."""
    right = ReadModelDatabase.now
    apart = dt.timedelta(hours=hours)
    monkeypatch.setattr(ReadModelDatabase, "now", lambda *by: right(*by) + apart)
    write(slice_, 5)
    fed(slice_, 3)
    says = guard(slice_, "switch reads", None).says
    assert NEWLY_FED.fullmatch(says)


def test_a_release_that_is_not_fed_is_refused_where_the_one_before_is(
    slice_: RolledOutSlice,
) -> None:
    slice_.do("switch reads", None)
    fed(slice_, 0)
    slice_.run("run-2")
    slice_.do("stage", "run-2")
    refused = guard(slice_, "switch reads", None)
    assert (refused.passed, refused.next_command) == (False, FEED)
    fed(slice_, 0, 2)
    assert guard(slice_, "switch reads", None).passed


def test_what_the_new_side_wrote_must_come_into_the_read_model_somehow(
    slice_: RolledOutSlice,
) -> None:
    write(slice_, 2)
    slice_.do("switch reads", None)
    slice_.do("switch writes")
    write(slice_, 5)
    refused = guard(slice_, "complete")
    assert (refused.passed, refused.next_command) == (False, FEED)
    assert "the new side has written 3 live events, and none came into release 1" in refused.says
    with closing(sqlite3.connect(slice_.folder / "readmodel.db")) as database, database:
        (table,) = database.execute(
            "SELECT table_name FROM cutline_read_model_tables ORDER BY table_name LIMIT 1"
        ).fetchone()
        database.execute(f"UPDATE \"{table}\" SET cutline_event_id = 'of a service'")
    assert guard(slice_, "complete").passed


def test_what_was_written_since_is_told_before_a_release_is_put_back(
    slice_: RolledOutSlice,
) -> None:
    slice_.do("switch reads", None)
    legacy = slice_.plan("reverse reads").guards[-1]
    assert (legacy.passed, legacy.says) == (
        True,
        "the legacy answers, which has had the writes all along",
    )
    fed(slice_, 0)
    slice_.run("run-2")
    slice_.do("stage", "run-2")
    fed(slice_, 0, 2)
    slice_.do("switch reads", None)
    write(slice_, 4)
    fed(slice_, 4, 2)
    fed_long_ago(slice_)
    release = slice_.plan("reverse reads").guards[-1]
    assert release.passed
    assert release.says == ("release 1 is put back: release 1 is 4 records behind the live topics")


def test_what_was_not_counted_at_the_flip_is_not_nothing(
    slice_: RolledOutSlice, monkeypatch: pytest.MonkeyPatch
) -> None:
    slice_.do("switch reads", None)

    def silent(*_: object) -> None:
        raise RunFailed("the topics do not answer")

    with monkeypatch.context() as patch:
        patch.setattr("cutline.rollout.steps.writes.live_ends", silent)
        slice_.do("switch writes")
    refused = guard(slice_, "complete")
    assert (refused.passed, refused.next_command) == (False, FEED)
    assert "it is not known what the new side has written since" in refused.says
    fed(slice_, 0)
    assert guard(slice_, "complete").passed


def test_the_release_that_writes_begin_with_is_fed_before_it_is_read(
    slice_: RolledOutSlice,
) -> None:
    slice_.do("switch reads", None)
    fed(slice_, 0)
    slice_.carried_on = lambda: "run-2"
    slice_.do("switch writes")
    assert model_of(slice_).feed_state(2) is not None
    steps = [line.step for line in slice_.control.rollout_ledger(CONTEXT, REGION)]
    assert steps.index("point-read-model") < steps.index("feed-read-model")
    slice_.do("complete")
    assert model_of(slice_).versions() == (2,)
    assert model_of(slice_).feed_state(1) is None


def test_board_and_numbers_say_how_far_it_is_behind(
    slice_: RolledOutSlice, command_line: CommandLine
) -> None:
    aside = [AsideRecord(TOPIC, 0, 3, "older-epoch", "its epoch is 1", "a", "o1", "{}")]
    write(slice_, 5)
    project = cutline.Project.open(slice_.folder)
    assert "cutline_feed" not in project.metrics().text()
    fed(slice_, 2, aside=aside)
    (standing,) = project.rollout(CONTEXT, region=REGION).overview().feed
    assert (standing.version, standing.behind, standing.aside) == (1, 3, {"older-epoch": 1})
    shown = command_line("rollout", "show", *SLICE, "--project", slice_.folder).stdout
    assert f"feed: {CONTEXT}/{REGION}, version 1: 3 records behind, fed at " in shown
    assert "1 put aside" in shown
    document = json.loads(
        command_line("rollout", "show", *SLICE, "--project", slice_.folder, "--json").stdout
    )
    assert document[0]["feed"][0]["behind"] == 3
    numbers = project.metrics().text()
    labels = f'context="{CONTEXT}",slice="{REGION}",version="1"'
    assert f"cutline_feed_behind{{{labels}}} 3" in numbers
    by_rule = labels.replace(",slice", ',rule="older-epoch",slice')
    assert f"cutline_feed_aside{{{by_rule}}} 1" in numbers
    write(slice_, 1)
    (standing,) = project.rollout(CONTEXT, region=REGION).overview().feed
    assert standing.behind is None
    assert "cutline_feed_behind" not in project.metrics().text()
