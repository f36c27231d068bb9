"""The command line in this process: what it printed and how it ended, in the session of the tests.

A process of its own (`support.cli_process`) starts Python and a JVM that knows nothing yet: for a run
that is ten times the work. Only tests whose subject is the process need one.
"""

from __future__ import annotations

from collections.abc import Callable
from subprocess import CompletedProcess

import pytest

from cutline.cli.app import app

CommandLine = Callable[..., CompletedProcess[str]]


@pytest.fixture
def command_line(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """Runs `cutline` with the arguments it is given, and returns as a process that has ended."""
    monkeypatch.setenv("NO_COLOR", "1")

    def run(*arguments: object) -> CompletedProcess[str]:
        words = [str(argument) for argument in arguments]
        capfd.readouterr()
        with pytest.raises(SystemExit) as ended:
            app(words)
        out, err = capfd.readouterr()
        return CompletedProcess(words, int(ended.value.code or 0), out, err)

    return run
