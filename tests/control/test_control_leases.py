"""One process a slice: races, kills, takeovers, and what a lease that was lost may still do."""

from __future__ import annotations

import datetime as dt
import logging
import os
import signal
import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr
from sqlalchemy import update

from cutline.control import Control, Holder, Lease, RunKey
from cutline.control import lease as lease_module
from cutline.control.database import ControlFailed
from cutline.control.holder import this_process
from cutline.control.models import SLICES
from cutline.errors import EXIT_FAILED, RunFailed, SliceBusy
from cutline.logs import fields
from cutline.results import StageResult
from support import slice_worker
from support.slice_worker import CONTEXT, REGION

NOON = dt.datetime(2026, 11, 1, 12, tzinfo=dt.UTC)
KEY = RunKey(CONTEXT, REGION, "run-1", {"cut": "2026-11-01T00:00:00Z"})


def change_holder(control: Control, **values: Any) -> None:
    with control.database.write() as connection:
        connection.execute(update(SLICES).values(**values))


def until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.process
def test_of_processes_that_race_for_a_slice_exactly_one_wins(
    control_url: SecretStr, tmp_path: Path
) -> None:
    workers = [slice_worker.start(control_url, tmp_path) for _ in range(4)]
    for worker in workers:
        slice_worker.go(worker)
    line_by_worker = {worker: slice_worker.line(worker) for worker in workers}
    (winner,) = [worker for worker, line in line_by_worker.items() if line == "held 1"]
    losers = [line for worker, line in line_by_worker.items() if worker is not winner]
    assert [slice_worker.end(worker) for worker in workers] == [0, 0, 0, 0]
    for line in losers:
        assert line.startswith("busy ")
        assert f"process {winner.pid} on {socket.gethostname()} since 20" in line


def test_a_second_call_in_one_process_is_not_told_to_end_it(control: Control) -> None:
    with control.lease(CONTEXT, REGION):
        with pytest.raises(SliceBusy) as refused, control.lease(CONTEXT, REGION):
            pass
        assert f"by another call of process {os.getpid()} on " in refused.value.what
        assert refused.value.next_step.startswith("Wait until that call has ended, then")


def test_nobody_looks_while_another_is_taking_a_slice(
    control: Control, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between seeing that a slice is free and taking it, nobody else sees that it is free."""
    with control.lease(CONTEXT, REGION):
        pass
    taking, go_on = threading.Event(), threading.Event()

    def slow(now: dt.datetime) -> Holder:
        if not taking.is_set():
            taking.set()
            assert go_on.wait(20)
        return this_process(now)

    monkeypatch.setattr(lease_module, "this_process", slow)
    outcomes: list[str] = []

    def take() -> None:
        try:
            lease = lease_module._acquire(control.database, CONTEXT, REGION)
            outcomes.append(f"held {lease.epoch}")
        except SliceBusy:
            outcomes.append("busy")

    first, second = threading.Thread(target=take), threading.Thread(target=take)
    first.start()
    assert taking.wait(20)
    second.start()
    second.join(0.5)
    go_on.set()
    first.join()
    second.join()
    assert sorted(outcomes) == ["busy", "held 2"]


def test_nobody_takes_a_slice_over_in_the_midst_of_a_write(control: Control) -> None:
    with control.lease(CONTEXT, REGION) as old:
        change_holder(control, holder_started=1.0)
        with ThreadPoolExecutor(1) as pool:
            with lease_module.fenced_transaction(control.database, old):
                taking = pool.submit(lease_module._acquire, control.database, CONTEXT, REGION)
                with pytest.raises(TimeoutError):
                    taking.result(timeout=0.5)
            assert taking.result(timeout=20).epoch == 2


@pytest.mark.process
def test_a_killed_holder_is_replaced_at_once(
    control: Control, control_url: SecretStr, tmp_path: Path
) -> None:
    worker = slice_worker.start(control_url, tmp_path)
    slice_worker.go(worker)
    assert slice_worker.line(worker) == "held 1"
    with pytest.raises(SliceBusy, match=f"process {worker.pid} "), control.lease(CONTEXT, REGION):
        pass
    os.kill(worker.pid, signal.SIGKILL)
    # Wait for the death, but do not reap it: a zombie does no work either.
    os.waitid(os.P_PID, worker.pid, os.WEXITED | os.WNOWAIT)
    with control.lease(CONTEXT, REGION) as lease:
        assert lease.epoch == 2
    assert slice_worker.end(worker) == -signal.SIGKILL


def test_a_pid_that_was_given_to_another_process_does_not_hold(control: Control) -> None:
    with control.lease(CONTEXT, REGION):
        change_holder(control, holder_started=1.0)
        with control.lease(CONTEXT, REGION) as lease:
            assert lease.epoch == 2


def test_a_holder_that_lives_here_keeps_the_slice_however_silent(control: Control) -> None:
    with control.lease(CONTEXT, REGION):
        change_holder(control, heartbeat_at=NOON - dt.timedelta(days=365))
        with pytest.raises(SliceBusy) as busy, control.lease(CONTEXT, REGION):
            pass
    assert busy.value.exit_code == EXIT_FAILED
    assert f"{CONTEXT}/{REGION}" in busy.value.what
    assert f"process {os.getpid()} on {socket.gethostname()} since" in busy.value.what
    assert "ended" in busy.value.next_step


@pytest.mark.parametrize(("silent_seconds", "taken_over"), [(20, False), (40, True)])
def test_a_holder_elsewhere_is_judged_by_its_heartbeat(
    control: Control, silent_seconds: int, taken_over: bool
) -> None:
    with control.lease(CONTEXT, REGION):
        with control.database.read() as connection:
            heard = control.database.now(connection) - dt.timedelta(seconds=silent_seconds)
        change_holder(
            control, holder_host="elsewhere", holder_place="elsewhere 1", heartbeat_at=heard
        )
        if taken_over:
            with control.lease(CONTEXT, REGION) as lease:
                assert lease.epoch == 2
        else:
            with pytest.raises(SliceBusy, match="on elsewhere"), control.lease(CONTEXT, REGION):
                pass


def test_releasing_keeps_the_epoch(control: Control) -> None:
    epochs = []
    for _ in range(3):
        with control.lease(CONTEXT, REGION) as lease:
            epochs.append(lease.epoch)
    assert epochs == [1, 2, 3]


def test_an_error_releases_the_slice(control: Control) -> None:
    with pytest.raises(ZeroDivisionError), control.lease(CONTEXT, REGION):
        raise ZeroDivisionError
    assert control.slices()[0].holder is None


def test_slices_are_held_apart(control: Control) -> None:
    with control.lease(CONTEXT, REGION) as first, control.lease(CONTEXT, "us-east") as second:
        first.check()
        second.check()


WRITES: dict[str, Callable[[Control, Lease], object]] = {
    "begin": lambda c, lease: c.begin(KEY, NOON, lease),
    "begin another": lambda c, lease: c.begin(RunKey(CONTEXT, REGION, "run-2", {}), NOON, lease),
    "stage_started": lambda c, lease: c.stage_started("run-1", "merge", lease),
    "stage_done": lambda c, lease: c.stage_done(
        "run-1", "extract", StageResult(rows_in=1, rows_out=1), "d", 1.0, lease
    ),
    "stage_failed": lambda c, lease: c.stage_failed("run-1", "extract", "why", lease),
    "decide": lambda c, lease: c.decide("run-1", "go", "gates", lease),
    "complete": lambda c, lease: c.complete("run-1", lease),
    "fail": lambda c, lease: c.fail("run-1", "why", lease),
}


def test_what_was_taken_over_cannot_write(control: Control) -> None:
    with control.lease(CONTEXT, REGION) as old:
        control.begin(KEY, NOON, old)
        control.stage_started("run-1", "extract", old)
        before = control.runs()
        change_holder(control, holder_started=1.0)
        with control.lease(CONTEXT, REGION) as new:
            for write in WRITES.values():
                with pytest.raises(SliceBusy, match=f"lost the slice .* process {os.getpid()} "):
                    write(control, old)
            assert control.runs() == before
            assert old.lost
            for write in WRITES.values():
                write(control, new)
        assert control.runs() != before
        # The old one ends now; it must not release what is not its own any more.
        with control.lease(CONTEXT, REGION) as third:
            lease_module._release(control.database, old)
            assert control.slices()[0].holder is not None
            third.check()


def test_what_was_released_cannot_write(control: Control) -> None:
    with control.lease(CONTEXT, REGION) as lease:
        pass
    for write in WRITES.values():
        with pytest.raises(RunFailed, match="no longer holds"):
            write(control, lease)
    assert control.runs() == []


def test_a_lease_of_one_slice_does_not_write_another(control: Control) -> None:
    with control.lease(CONTEXT, REGION) as lease:
        control.begin(KEY, NOON, lease)
    with control.lease(CONTEXT, "us-east") as lease:
        for name, write in WRITES.items():
            if name != "begin another":
                with pytest.raises(RunFailed, match=r"no run run-1 of .*us-east"):
                    write(control, lease)
        with pytest.raises(RunFailed, match="no run run-2"):
            WRITES["begin another"](control, lease)
    assert [(r.run_id, r.region, r.stages) for r in control.runs()] == [("run-1", REGION, ())]


def test_the_heartbeat_beats(control: Control, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease_module, "RENEW_SECONDS", 0.05)
    with control.lease(CONTEXT, REGION) as lease:

        def heartbeat() -> dt.datetime:
            holder = control.slices()[0].holder
            assert holder is not None
            return holder.heartbeat_at

        first = heartbeat()
        until(lambda: heartbeat() > first)
        lease.check()


def test_the_heartbeat_notices_a_takeover(
    control: Control, monkeypatch: pytest.MonkeyPatch
) -> None:
    with control.lease(CONTEXT, REGION):
        pass
    monkeypatch.setattr(lease_module, "RENEW_SECONDS", 0.05)
    with control.lease(CONTEXT, REGION) as lease:
        lease.check()
        change_holder(control, epoch=7)
        until(lambda: lease.lost)
        with pytest.raises(SliceBusy, match="lost the slice"):
            lease.check()
    assert control.slices()[0].holder is not None


def test_a_database_that_stays_away_loses_the_lease_one_that_comes_back_does_not(
    control: Control, monkeypatch: pytest.MonkeyPatch
) -> None:
    away = threading.Event()
    tries: list[bool] = []
    real = lease_module.renew_lease

    def renew(*args: Any) -> None:
        tries.append(away.is_set())
        if away.is_set():
            raise ControlFailed(control.database.address, "away")
        real(*args)

    monkeypatch.setattr(lease_module, "renew_lease", renew)
    monkeypatch.setattr(lease_module, "RENEW_SECONDS", 0.02)
    with control.lease(CONTEXT, REGION) as lease:
        away.set()
        until(lambda: tries.count(True) > 3)
        away.clear()
        until(lambda: tries[-1] is False)
        assert not lease.lost
        monkeypatch.setattr(lease_module, "TTL", dt.timedelta(seconds=0.1))
        away.set()
        until(lambda: lease.lost)


def test_the_heartbeat_ends_with_the_lease(control: Control) -> None:
    def beating() -> bool:
        return "cutline-lease" in {thread.name for thread in threading.enumerate()}

    with control.lease(CONTEXT, REGION):
        assert beating()
    assert not beating()


def logged(caplog: pytest.LogCaptureFixture) -> list[tuple[str, str, int]]:
    records = [one for one in caplog.records if one.name == lease_module.__name__]
    return [(one.levelname, one.getMessage(), fields(one)["epoch"]) for one in records]


def test_what_becomes_of_a_lease_is_logged(
    control: Control, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(lease_module, "RENEW_SECONDS", 0.05)
    with caplog.at_level(logging.DEBUG, "cutline"):
        with control.lease(CONTEXT, REGION) as old:
            until(lambda: ("DEBUG", "lease renewed", 1) in logged(caplog))
            change_holder(control, holder_started=1.0)
            with control.lease(CONTEXT, REGION):
                until(lambda: old.lost)
        entries = [one for one in logged(caplog) if one[1] != "lease renewed"]
    assert entries[:3] == [
        ("INFO", "lease taken", 1),
        ("WARNING", "lease taken over", 2),
        ("INFO", "lease taken", 2),
    ]
    assert sorted(entries[3:]) == [("ERROR", "lease lost", 1), ("INFO", "lease released", 2)]
