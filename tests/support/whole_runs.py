"""Whole runs for tests: in this process, or as another one that can be killed."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from cutline.project import load
from cutline.run.outcome import RunOutcome
from cutline.run.progress import ignore_events
from support.shared_jvm import in_jvm_of

REGION = "eu-west"


def run_here(project: Path, context: str, region: str, only: Sequence[str] = ()) -> RunOutcome:
    """A run in this process, in the session of the tests."""
    from cutline.api.stages import STAGES
    from cutline.run.runner import run

    return run(load(project, region), context, region, STAGES, only, ignore_events)


def start(
    project: Path,
    context: str,
    region: str,
    jvm_of: SparkSession | None = None,
    **env: str,
) -> subprocess.Popen[str]:
    """`cutline run` of a slice, as a process group of its own.

    It has a JVM of its own, which ends with it, or uses that of a session.
    """
    whole = {**os.environ, "NO_COLOR": "1", **env}
    command = [sys.executable, "-m", "cutline", "run", context, "--region", region, "--json"]
    return subprocess.Popen(
        [*command, "--project", str(project)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=whole if jvm_of is None else in_jvm_of(jvm_of, whole),
        start_new_session=True,
    )


def finish(process: subprocess.Popen[str]) -> dict[str, Any]:
    """Waits for the end; what was printed as JSON. Fails the test with stderr if it went wrong."""
    out, err = process.communicate(timeout=900)
    assert process.returncode in (0, 1), err
    return dict(json.loads(out))


def kill_when(process: subprocess.Popen[str], due: Callable[[str], float | None]) -> str:
    """Ends the whole group by SIGKILL, so many seconds after the line of stderr for which `due` says so.

    Returns what was on stderr. If the moment never comes, the process ends by itself.
    """
    stderr_lines: list[str] = []
    assert process.stderr is not None
    for line in process.stderr:
        stderr_lines.append(line)
        wait = due(line)
        if wait is not None:
            time.sleep(wait)
            break
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    drain = threading.Thread(target=process.communicate, daemon=True)
    drain.start()
    process.wait(timeout=60)
    drain.join(timeout=60)
    return "".join(stderr_lines)


def digests(printed: dict[str, Any]) -> dict[str, tuple[int, str]]:
    """Rows and digest by stage."""
    return {s["name"]: (s["rows_out"], s["digest"]) for s in printed["stages"]}
