"""A standalone Spark cluster of the tests' own, from pip's pyspark alone: a master and two workers.

Its workers have a folder of their own each, and a Python that finds Cutline's dependencies and
nothing of Cutline.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import pyspark

from support.ports import free_ports

_START_SECONDS = 60
HOSTS = ("127.0.0.1", "127.0.0.2")
SOON_DONE = {"JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1"}
"""For every JVM of the cluster and its drivers: optimising compilers would take both cores."""


@dataclass
class SparkCluster:
    """A running cluster; `python` is what its Python workers are to be started with."""

    folder: Path
    port: int
    python: Path
    master: subprocess.Popen[bytes]
    workers: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return f"spark://127.0.0.1:{self.port}"

    def env(self, **more: str) -> dict[str, str]:
        """The environment of a process that works on it."""
        python = {"PYSPARK_PYTHON": str(self.python)}
        return {**os.environ, **SOON_DONE, **python, "NO_COLOR": "1", **more}

    def start_worker(self, host: str) -> None:
        """A worker with one core, in a process group of its own: its executors end with it."""
        place = self.folder / f"worker-{host}-{time.monotonic_ns()}"
        place.mkdir()
        options = ["--host", host, "--cores", "1", "--memory", "2g", "--webui-port", "0"]
        self.workers[host] = _spark_class(
            "worker.Worker", [*options, "--work-dir", str(place), self.url], place, host
        )

    def kill_worker(self, host: str) -> None:
        """By SIGKILL, with its executor and the Python that works for it."""
        _end(self.workers.pop(host), signal.SIGKILL)

    def executors(self) -> list[int]:
        """The processes of the executors that run, youngest last."""
        children = [
            child
            for worker in self.workers.values()
            for child in psutil.Process(worker.pid).children(recursive=True)
        ]
        return [child.pid for child in children if _is_executor(child)]


@contextmanager
def spark_cluster(folder: Path) -> Iterator[SparkCluster]:
    """The cluster, until the block ends."""
    port, web = free_ports(2)
    options = ["--host", "127.0.0.1", "--port", str(port), "--webui-port", str(web)]
    master = _spark_class("master.Master", options, folder, "127.0.0.1")
    cluster = SparkCluster(folder, port, bare_python(folder), master)
    try:
        for host in HOSTS:
            cluster.start_worker(host)
        _wait_for_workers(cluster, web)
        yield cluster
    finally:
        for process in (*cluster.workers.values(), master):
            _end(process, signal.SIGTERM)


def bare_python(folder: Path, without: str = "") -> Path:
    """This Python as a worker has it: with what is installed, but for Cutline and plugins.

    What `without` names cannot be imported, as if it had not been installed.
    """
    installed = [path for path in sys.path if Path(path).name == "site-packages"]
    hidden = folder / f"hidden-{without}"
    if without:
        (hidden / without).mkdir(parents=True)
        text = f"raise ModuleNotFoundError(\"No module named '{without}'\", name='{without}')\n"
        (hidden / without / "__init__.py").write_text(text)
        installed = [str(hidden), *installed]
    program = folder / f"python{f'-without-{without}' if without else ''}"
    # -S: no .pth file of an editable installation is read.
    program.write_text(
        f'#!/bin/sh\nPYTHONPATH="$PYTHONPATH:{":".join(installed)}" exec {sys.executable} -S "$@"\n'
    )
    program.chmod(0o755)
    return program


def _is_executor(process: psutil.Process) -> bool:
    """False for one that has ended meanwhile."""
    try:
        return "CoarseGrainedExecutorBackend" in " ".join(process.cmdline())
    except psutil.Error:
        return False


def _spark_class(name: str, options: list[str], cwd: Path, host: str) -> subprocess.Popen[bytes]:
    home = Path(pyspark.__file__).parent
    env = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    env |= {"SPARK_HOME": str(home), "SPARK_LOCAL_IP": host, "SPARK_DAEMON_MEMORY": "256m"}
    env |= SOON_DONE
    with (cwd / "log").open("wb") as log:
        return subprocess.Popen(
            [home / "bin" / "spark-class", f"org.apache.spark.deploy.{name}", *options],
            cwd=cwd,
            env=env,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def _wait_for_workers(cluster: SparkCluster, web: int) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while True:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{web}/json/", timeout=5) as answer:
                state: dict[str, Any] = json.load(answer)
            if state["aliveworkers"] == len(HOSTS):
                return
        except (OSError, ValueError):
            # Its page is empty until the master has started.
            pass
        if cluster.master.poll() is not None or time.monotonic() > deadline:
            logs = (path.read_text() for path in sorted(cluster.folder.rglob("log")))
            raise RuntimeError("\n".join(logs))
        time.sleep(0.2)


def _end(process: subprocess.Popen[bytes], how: signal.Signals) -> None:
    """The whole group of a process that `_spark_class` started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, how)
    try:
        process.wait(30)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(30)
