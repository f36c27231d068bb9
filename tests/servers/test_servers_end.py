"""However the process ends that started a server, no process and no folder is left."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from support.paths import ROOT
from support.servers.folder import ServerFolder
from support.servers.kafka import Record, start_kafka
from support.servers.keeper import working_in
from support.servers.process import NotReady, ServerProcess, wait_for

pytestmark = pytest.mark.process

SLEEPER = """
from support.servers.folder import ServerFolder
from support.servers.process import ServerProcess
folder = ServerFolder("sleeper")
ServerProcess(folder, ["sleep", "600"], lambda: None).start()
"""
POSTGRES = """
from support.servers.postgres import start_postgres
folder = start_postgres().folder
"""
WAIT = "\nprint(folder.path, flush=True)\nimport time; time.sleep(600)\n"


@contextmanager
def owner(start: str) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """A process that has started a server, and the server's folder."""
    env = {**os.environ, "PYTHONPATH": str(ROOT / "tests")}
    command = [sys.executable, "-c", start + WAIT]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=env)
    try:
        assert process.stdout is not None
        folder = Path(process.stdout.readline().strip())
        assert working_in(folder) != []
        yield process, folder
    finally:
        process.kill()
        process.wait()


def wait_until_nothing_is_left(folder: Path) -> None:
    def check_nothing_is_left() -> None:
        if folder.exists() or working_in(folder):
            raise NotReady(f"{folder} is there, and in it works {working_in(folder)}")

    wait_for(check_nothing_is_left, 20)


@pytest.mark.postgres
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_an_owner_that_was_killed_leaves_nothing(number: int) -> None:
    with owner(POSTGRES) as (process, folder):
        process.send_signal(number)
        wait_until_nothing_is_left(folder)


def test_what_was_paused_ends_too() -> None:
    with owner(SLEEPER) as (process, folder):
        for pid in working_in(folder):
            os.kill(pid, signal.SIGSTOP)
        process.kill()
        wait_until_nothing_is_left(folder)


def test_what_a_killed_keeper_left_the_next_start_clears() -> None:
    with owner(SLEEPER) as (process, folder):
        (keeper,) = (
            child for child in psutil.Process(process.pid).children() if "sleep" not in child.name()
        )
        keeper.kill()
        process.kill()
        process.wait()
        assert folder.exists()
        with owner(SLEEPER) as (_, second_folder):
            wait_until_nothing_is_left(folder)
            # What somebody still needs is not touched.
            assert second_folder.exists()


def test_a_folder_stays_as_long_as_anybody_holds_it() -> None:
    first = ServerFolder("shared")
    second: ServerFolder = pickle.loads(pickle.dumps(first))
    first.leave()
    ServerProcess(second, ["sleep", "600"], lambda: None).start()
    assert second.path.exists()
    assert working_in(second.path) != []
    second.close()
    wait_until_nothing_is_left(second.path)
    with pytest.raises(FileNotFoundError):
        pickle.loads(pickle.dumps(first))


def test_a_server_that_does_not_start_shows_its_log_and_leaves_nothing() -> None:
    folder = ServerFolder("broken")

    def never() -> None:
        raise NotReady("it never is")

    command = ["sh", "-c", "echo the port is taken; exit 3"]
    process = ServerProcess(folder, command, never)
    with pytest.raises(RuntimeError, match=r"(?s)ended with 3.*the port is taken"):
        process.start()
    folder.close()
    assert not folder.path.exists()


@pytest.mark.kafka
def test_a_broker_is_paused_killed_and_started_again() -> None:
    broker = start_kafka()
    try:
        topic = broker.create_topic("kept")
        broker.process.pause()
        with pytest.raises(RuntimeError, match="not all records"):
            broker.produce(topic, [Record(b"A", b"1")], **{"message.timeout.ms": "1000"})
        broker.process.resume()
        broker.process.wait_until_ready()
        broker.produce(topic, [Record(b"A", b"2")])
        broker.process.kill()
        assert not broker.process.alive()
        broker.process.start()
        assert [m.value() for m in broker.read(topic)][-1] == b"2"
    finally:
        broker.folder.close()
    assert not broker.folder.path.exists()
