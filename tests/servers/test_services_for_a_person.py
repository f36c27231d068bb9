"""`make services`: what it prints to try works as it is, and Ctrl-C leaves nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from support.paths import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.debezium]


@contextmanager
def services() -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "support.servers"],
        env={**os.environ, "PYTHONPATH": str(ROOT / "tests")},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@pytest.mark.usefixtures("connect_worker", "schema_registry")
def test_what_is_printed_works_until_ctrl_c(tmp_path: Path) -> None:
    """The fixtures: where anything is missing here, the test is skipped for it."""
    with services() as process:
        assert process.stdout is not None
        lines = []
        for line in process.stdout:
            lines.append(line.strip())
            if "Ctrl-C" in line:
                break
        begin = next(n for n, line in enumerate(lines) if line.startswith("To try"))
        end = next(n for n, line in enumerate(lines) if line.startswith("The retail demo"))
        commands = [line for line in lines[begin + 1 : end] if line]
        insert, read, status, subjects = [_output(command) for command in commands]
        assert insert == "CREATE TABLE\nINSERT 0 1\n"
        assert '"after":{"id":1,"status":"RELEASED"}' in read
        assert status.count('"state":"RUNNING"') == 2
        assert subjects == "[]"
        export, live, clean = [line for line in lines[end + 1 :] if line and "Ctrl-C" not in line]
        # Whether its servers are found: a name that cannot be one is refused before, a folder after.
        file = tmp_path / "file"
        file.touch()
        refused = _refused(f"{export}; {live.replace('live-demo', str(file))}")
        assert "is a file" in refused
        assert "holds no live demo" in _refused(clean.replace("live-demo", str(tmp_path)))
        servers = psutil.Process(process.pid).children()
        running = {Path(server.cwd()) for server in servers} - {Path("/")}
        assert len(running) == 4
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0
        assert not any(folder.exists() for folder in running)
        assert not any(server.is_running() for server in servers)


def _refused(command: str) -> str:
    finished = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=120)
    assert finished.returncode == 2, finished.stderr
    return finished.stderr


def _output(command: str) -> str:
    finished = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=60)
    assert finished.returncode == 0, finished.stderr
    return finished.stdout
