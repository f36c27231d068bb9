"""Backfills that are asked for by calls, files and a topic are sent by who serves the queue."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from sqlalchemy import update

import cutline
from cutline.backfill import serving
from cutline.control import TOPIC_LEASES, Control
from cutline.control.models import BACKFILLS
from cutline.errors import RunFailed
from cutline.project import load_shared
from cutline.replay import evolving
from cutline.replay.performing import ReplayWork
from support.backfilling import DESK, ORDER, backfilled
from support.replaying import AGAIN, Placed, append_records, numbers, standing

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("spark")]
MONDAY = [Placed(n, f"o-{n}", n) for n in range(1, 5)]
TUESDAY = [Placed(n, f"o-{n}", n) for n in range(5, 8)]
DAYS = {"monday": MONDAY, "tuesday": TUESDAY}


def sent(folder: Path) -> list[int]:
    return sorted(numbers(standing(folder)))


def control_of(folder: Path) -> Control:
    project = load_shared(folder)
    return Control.open(project.file.control, folder)


def serving_process(folder: Path) -> subprocess.Popen[bytes]:
    """`cutline serve`, which stays."""
    words = ["-m", "cutline", "serve", "--every", "1s", "--project", str(folder)]
    return subprocess.Popen([sys.executable, *words])


def write(folder: Path, name: str, document: Any) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / name
    text = document if isinstance(document, str) else json.dumps(document)
    file.write_text(text, encoding="utf-8")
    return file


def test_what_is_asked_for_is_sent_in_its_turn(tmp_path: Path) -> None:
    queue = backfilled(tmp_path, DAYS)
    first = queue.submit("orders", to=AGAIN, team=DESK, why="a field", path="monday.jsonl")
    second = queue.submit("orders", to=AGAIN, team="Shop", why="all", keys=["o-6"])
    assert [first.status, second.status] == ["queued", "queued"]
    says: list[str] = []
    done = queue.serve(say=says.append)
    assert [(e.number, e.status, e.records, e.exceptions) for e in done] == [
        (1, "done", 4, 0),
        (2, "done", 1, 0),
    ]
    assert sent(tmp_path) == [1, 2, 3, 4, 6]
    assert says[0] == "backfill 1: reading the source"
    assert done[0].replay_id is not None
    assert done[0].request["path"] == "monday.jsonl"
    # The same again is complete already, and counts for nothing.
    queue.submit("orders", to=AGAIN, team=DESK, why="again", path="monday.jsonl")
    (again,) = queue.serve()
    assert (again.status, again.records, again.replay_id) == ("done", None, done[0].replay_id)
    assert sent(tmp_path) == [1, 2, 3, 4, 6]
    assert list(queue.serve()) == []


def test_whoever_serves_keeps_its_own_group_of_jobs(spark: SparkSession, tmp_path: Path) -> None:
    """A notebook stops what it has begun by the group: it is there behind a call as before it."""
    names = ("spark.jobGroup.id", "spark.job.description", "spark.job.interruptOnCancel")
    context = spark.sparkContext
    before = {name: context.getLocalProperty(name) for name in names}
    context.setJobGroup("a notebook's", "what it does")
    try:
        queue = backfilled(tmp_path, DAYS)
        queue.submit("orders", to=AGAIN, team=DESK, why="a field", path="monday.jsonl")
        assert [entry.status for entry in queue.serve()] == ["done"]
        assert context.getLocalProperty("spark.jobGroup.id") == "a notebook's"
        assert context.getLocalProperty("spark.job.description") == "what it does"
    finally:
        for name, value in before.items():
            context.setLocalProperty(name, value)


def test_files_with_requests_are_taken_once_and_nothing_is_lost(tmp_path: Path) -> None:
    queue = backfilled(tmp_path, DAYS, folder="asked")
    folder = tmp_path / "asked"
    write(folder, "1.json", ORDER | {"path": "tuesday.jsonl"})
    torn = write(folder, "2.json", '{"replay": "orders", ')
    write(folder, "3.json", ORDER | {"to": "orders.live"})
    write(folder, ".4.json.tmp", ORDER)
    write(folder, "notes.txt", "nothing")
    served = queue.serve()
    assert [(e.number, e.status) for e in served] == [(1, "done"), (2, "refused")]
    assert "topic orders.live is declared as live" in str(served[1].reason)
    assert sent(tmp_path) == [5, 6, 7]
    assert sorted(path.name for path in folder.iterdir()) == [
        *(".4.json.tmp", "2.json", "notes.txt", "taken"),
    ]
    assert sorted(p.name for p in (folder / "taken").iterdir()) == ["1-1.json", "2-3.json"]
    # Once nobody can be writing it any more, what is no request is refused as what it is.
    os.utime(torn, (time.time() - 60,) * 2)
    (refused,) = queue.serve()
    assert (refused.status, refused.team, refused.request) == (
        *("refused", None),
        {"text": '{"replay": "orders", '},
    )
    long = write(folder, "5.json", ORDER | {"why": "x" * 1_000_001})
    os.utime(long, (time.time() - 60,) * 2)
    (refused,) = queue.serve()
    assert "longer than 1,000,000 bytes" in str(refused.reason)
    # Put there again it is another request, also where it says the same.
    write(folder, "1.json", ORDER | {"path": "tuesday.jsonl"})
    assert [(e.number, e.status, e.records) for e in queue.serve()] == [(5, "done", None)]


BAD = {
    "deep": "[" * 100_000,
    "number": '{"cancel": 1' + "0" * 30 + ', "asked_by": "x", "why": "x"}',
    "half": json.dumps(ORDER | {"team": "\ud800"}),
    "nul": json.dumps(ORDER | {"asked_by": "a\0b"}),
    "nul-where": json.dumps(ORDER | {"where": "subject = '\0'"}),
    "nan": '{"replay": NaN}',
    "first": json.dumps(ORDER | {"from": "0001-01-01T00:00:00+14:00"}),
    "last": json.dumps(ORDER | {"until": "9999-12-31T23:00:00-14:00"}),
    "no-to": '{"replay": "orders"}',
}


def test_no_request_stops_those_behind_it(tmp_path: Path, command_line: Any) -> None:
    queue = backfilled(tmp_path, DAYS, folder="asked")
    folder = tmp_path / "asked"
    for name, text in BAD.items():
        bad = write(folder, f"{name}.json", text)
        os.utime(bad, (time.time() - 60,) * 2)
    (folder / "folder.json").mkdir()
    (folder / "link.json").symlink_to("/etc/hostname")
    os.mkfifo(folder / "pipe.json")
    write(folder, f"{'z' * 250}.json", ORDER | {"keys": ["o-1"]})
    served = queue.serve()
    assert [e.status for e in served] == ["refused"] * len(BAD) + ["done"]
    assert all(e.reason for e in served[:-1])
    assert {path.name for path in folder.glob("*.json")} == {
        *("folder.json", "link.json", "pipe.json"),
    }
    listed = command_line("backfill", "list", "--project", tmp_path)
    assert listed.returncode == 0
    assert len(listed.stdout.splitlines()) == len(BAD) + 1
    assert command_line("backfill", "show", "9" * 20, "--project", tmp_path).returncode == 2


def test_a_condition_that_fails_on_a_row_is_refused_and_stops_nothing(tmp_path: Path) -> None:
    queue = backfilled(tmp_path, DAYS)
    queue.submit("orders", to=AGAIN, team=DESK, why="x", where="cast(subject as int) > 5")
    queue.submit("orders", to=AGAIN, team="Shop", why="x", keys=["o-2"])
    first, second = queue.serve()
    assert (first.status, first.attempts, second.status) == ("refused", 1, "done")
    assert "CAST_INVALID_INPUT" in str(first.reason)


def test_a_destination_that_somebody_sends_to_lets_wait(tmp_path: Path) -> None:
    queue = backfilled(tmp_path, DAYS)
    queue.submit("orders", to=AGAIN, team=DESK, why="x")
    control = control_of(tmp_path)
    with control.lease(TOPIC_LEASES, AGAIN):
        (waits,) = queue.serve()
    assert (waits.status, waits.attempts) == ("queued", 1)
    row = control.backfill(1)
    assert row is not None
    assert row.failures == 0
    with control.database.write() as connection:
        connection.execute(update(BACKFILLS).values(not_before=None))
    assert [e.status for e in queue.serve()] == ["done"]


def test_a_topic_with_requests_is_read_on(tmp_path: Path) -> None:
    queue = backfilled(tmp_path, DAYS, topic="shop.backfills")

    def ask(*documents: Any) -> None:
        records = [{"key": "k", "headers": {}, "value": document} for document in documents]
        append_records(tmp_path, "shop.backfills", records)

    ask(ORDER | {"keys": ["o-2"]}, "rubbish", ORDER | {"replay": "nothing"})
    served = queue.serve()
    assert [(e.number, e.status) for e in served] == [
        *((1, "done"), (2, "refused"), (3, "refused")),
    ]
    assert "it is no JSON object" in str(served[1].reason)
    assert sent(tmp_path) == [2]
    assert list(queue.serve()) == []
    waiting = queue.submit("orders", to=AGAIN, team=DESK, why="later")
    ask({"cancel": waiting.number, "asked_by": "lee", "why": "not now"})
    cancelled = next(e for e in queue.serve() if e.number == waiting.number)
    assert (cancelled.status, cancelled.cancelled_by) == ("cancelled", "lee")
    ask({"cancel": 99, "asked_by": "lee", "why": "not now"})
    (row,) = queue.serve()
    assert row.reason == "it cancels: there is no backfill 99"
    assert sent(tmp_path) == [2]


def test_a_quota_lets_wait_and_what_never_fits_is_refused(tmp_path: Path) -> None:
    big = [Placed(n, f"o-{n}", n) for n in range(20, 31)]
    queue = backfilled(tmp_path, DAYS | {"big": big})
    for path in ("monday.jsonl", "tuesday.jsonl", "big.jsonl"):
        queue.submit("orders", to=AGAIN, team=DESK, why="x", path=path)
    done = {e.number: e for e in queue.serve()}
    assert [done[n].status for n in (1, 2, 3)] == ["done", "done", "refused"]
    assert "it would send 11 records, and Order desk may send 10 in a day" in str(done[3].reason)
    queue.submit("orders", to=AGAIN, team=DESK, why="x", types=["OrderPlaced"], path="monday.jsonl")
    (waits,) = queue.serve()
    assert (waits.number, waits.status, waits.records) == (4, "queued", 4)
    assert sent(tmp_path) == [1, 2, 3, 4, 5, 6, 7]
    assert list(queue.serve()) == []
    assert queue.show(4).reason == "waits: Order desk has sent 7 of the 10 records of a day"
    control = control_of(tmp_path)
    with control.database.write() as connection:
        connection.execute(update(BACKFILLS).where(BACKFILLS.c.number == 1).values(started_at=None))
    (late,) = queue.serve()
    assert (late.number, late.status) == (4, "done")


def test_what_cannot_evolve_is_counted_and_a_lost_owner_refuses(tmp_path: Path) -> None:
    broken = [Placed(1, "o-1", data=None), Placed(2, "o-2")]
    queue = backfilled(tmp_path, {"monday": broken})
    (tmp_path / "archive" / "monday.jsonl").open("a").write('{"key": "o-3"}\n')
    queue.submit("orders", to=AGAIN, team=DESK, why="x")
    queue.submit("orders", to=AGAIN, team=DESK, why="x", keys=["o-1"])
    control = control_of(tmp_path)
    first = serving.serve_next(serving.BackfillWork(load_shared(tmp_path), control, print))
    assert first is not None
    assert queue.show(1).exceptions == 1
    file = tmp_path / "cutline.yaml"
    file.write_text(file.read_text().replace(f"{AGAIN}:", "orders.elsewhere:"))
    (second,) = queue.serve()
    assert second.status == "refused"
    assert "topic orders.again has no owner" in str(second.reason)


def test_what_fails_is_tried_again_and_then_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue = backfilled(tmp_path, DAYS)
    queue.submit("orders", to=AGAIN, team=DESK, why="x")
    attempts = []

    def failing(work: ReplayWork) -> None:
        attempts.append(work.request)
        raise RunFailed("no broker answers", left_behind="Nothing was sent.")

    monkeypatch.setattr(serving, "perform_replay", failing)
    monkeypatch.setattr(serving, "_PAUSES", (serving.dt.timedelta(0),))
    (failed,) = queue.serve()
    assert (failed.status, failed.attempts, len(attempts)) == ("failed", 3, 3)
    assert failed.reason == "no broker answers\nNothing was sent."
    monkeypatch.undo()
    queue.submit("orders", to=AGAIN, team=DESK, why="x")
    assert [e.status for e in queue.serve()] == ["done"]


def test_what_fails_without_a_word_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(work: ReplayWork) -> None:
        raise AssertionError

    monkeypatch.setattr(serving, "perform_replay", failing)
    queue = backfilled(tmp_path, DAYS)
    queue.submit("orders", to=AGAIN, team=DESK, why="x")
    (waits,) = queue.serve()
    assert (waits.status, waits.reason) == ("queued", "AssertionError")


def test_a_running_one_is_cancelled_and_the_same_request_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While it evolves: its jobs end, and the process serves what comes next."""
    queue = backfilled(tmp_path, DAYS)
    monkeypatch.setattr(serving, "_BEAT_SECONDS", 0.1)
    outcomes = evolving.with_outcomes

    def slow_outcomes(events: DataFrame, where: str | None) -> DataFrame:
        slept = F.expr("reflect('java.lang.Thread', 'sleep', 60000L + length(id)) IS NOT NULL")
        return outcomes(events, where) if where is None else outcomes(events, where).where(slept)

    monkeypatch.setattr(evolving, "with_outcomes", slow_outcomes)
    queue.submit("orders", to=AGAIN, team=DESK, why="x", where="subject <> 'o-9'")
    queue.submit("orders", to=AGAIN, team="Shop", why="y", keys=["o-2"])

    def say(text: str) -> None:
        if text == "backfill 1: evolving records":
            queue.cancel(1, why="wrong month", cancelled_by="lee")

    begun = time.monotonic()
    first, second = queue.serve(say=say)
    assert time.monotonic() - begun < 50
    assert (first.status, first.cancelled_by, second.status) == ("cancelled", "lee", "done")
    assert "lee cancelled it while it was worked on" in str(first.reason)
    assert sent(tmp_path) == [2]
    monkeypatch.setattr(evolving, "with_outcomes", outcomes)
    queue.submit("orders", to=AGAIN, team=DESK, why="x", where="subject <> 'o-9'")
    assert [e.status for e in queue.serve()] == ["done"]
    assert set(sent(tmp_path)) == {1, 2, 3, 4, 5, 6, 7}


@pytest.mark.slow
@pytest.mark.process
def test_a_server_that_is_killed_is_followed_by_another(tmp_path: Path) -> None:
    queue = backfilled(tmp_path, DAYS, folder="asked")
    write(tmp_path / "asked", "1.json", ORDER)
    with serving_process(tmp_path) as process:
        deadline = time.monotonic() + 120
        while not queue.list(status="running"):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        process.kill()
        process.wait()
    assert queue.show(1).status == "running"
    (done,) = queue.serve()
    assert (done.status, done.attempts) == ("done", 2)
    assert sent(tmp_path) == [1, 2, 3, 4, 5, 6, 7]
    with serving_process(tmp_path) as process:
        write(tmp_path / "asked", "2.json", ORDER | {"keys": ["o-1"], "team": "Shop"})
        deadline = time.monotonic() + 120
        while not queue.list(status="done", team="Shop"):
            assert time.monotonic() < deadline
            time.sleep(0.1)
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0


def test_the_command_line_asks_lists_and_serves(tmp_path: Path, command_line: Any) -> None:
    backfilled(tmp_path, DAYS)
    submit = ("backfill", "submit", "orders", "--to", AGAIN, "--team", DESK, "--why", "a field")
    at = ("--project", tmp_path)
    submitted = command_line(*submit, "--path", "monday.jsonl", "--by", "kim", *at)
    assert (submitted.returncode, submitted.stdout) == (
        0,
        f"     1  queued     {DESK}: orders to {AGAIN}\n",
    )
    served = command_line("serve", *at)
    assert (served.returncode, served.stdout) == (
        0,
        f"     1  done       {DESK}: orders to {AGAIN}, 4 records\n",
    )
    shown = command_line("backfill", "show", "1", *at)
    assert "  asked for by kim at " in shown.stdout
    assert "  path: monday.jsonl\n" in shown.stdout
    assert command_line(*submit, "--to", "x", *at).returncode == 2
    command_line(*submit, *at)
    cancelled = command_line("backfill", "cancel", "2", "--why", "no", "--json", *at)
    assert json.loads(cancelled.stdout)["status"] == "cancelled"
    listed = command_line("backfill", "list", "--json", *at)
    assert [e["status"] for e in json.loads(listed.stdout)["backfills"]] == ["cancelled", "done"]
    assert command_line("backfill", "show", "9", *at).returncode == 2


def test_a_refused_request_makes_serving_end_with_1(tmp_path: Path, command_line: Any) -> None:
    backfilled(tmp_path, {}, folder="asked")
    write(tmp_path / "asked", "x.json", ORDER | {"to": "orders.live"})
    served = command_line("serve", "--project", tmp_path)
    assert (served.returncode, served.stdout) == (
        1,
        f"     1  refused    {DESK}: orders to orders.live\n",
    )
    assert isinstance(cutline.Project.open(tmp_path).backfills(), cutline.Backfills)
