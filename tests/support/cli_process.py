"""The command line as another process sees it: exit code, stdout, stderr."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import CompletedProcess

SCRIPT = Path(__file__).with_name("fake_cutline.py")
FORKING = Path(__file__).with_name("forked_cutline.py")


def cutline(*args: object, env: dict[str, str] | None = None) -> CompletedProcess[str]:
    """Run it and wait. Without FAKE_RUN in `env`, everything is real."""
    return subprocess.run(
        [sys.executable, str(SCRIPT), *(str(a) for a in args)],
        capture_output=True,
        text=True,
        env=_environment(env),
        timeout=120,
        check=False,
    )


@contextlib.contextmanager
def forked_cutline() -> Iterator[Callable[..., CompletedProcess[str]]]:
    """As `cutline`, where starting Python is not what is looked at: it is loaded once, and forks."""
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen(
            [sys.executable, str(FORKING)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=_environment(),
        ) as forking,
    ):
        assert forking.stdin is not None
        assert forking.stdout is not None
        number = 0

        def run(*args: object, env: dict[str, str] | None = None) -> CompletedProcess[str]:
            nonlocal number
            number += 1
            words = [str(a) for a in args]
            streams = [Path(folder, f"{number}.{name}") for name in ("out", "err")]
            command = {
                "arguments": words,
                "env": _environment(env),
                **dict(zip(("stdout", "stderr"), map(str, streams), strict=True)),
            }
            forking.stdin.write(json.dumps(command) + "\n")
            forking.stdin.flush()
            code = int(forking.stdout.readline())
            out, err = (stream.read_text(encoding="utf-8") for stream in streams)
            return CompletedProcess(words, code, out, err)

        yield run


def _environment(more: dict[str, str] | None = None) -> dict[str, str]:
    return {**os.environ, "NO_COLOR": "1", **(more or {})}
