"""The command line in this process: what it printed and how it ended, in the session of the tests.

A process of its own (`support.cli_process`) starts Python and a JVM that knows nothing yet: for a run
that is ten times the work. Only tests whose subject is the process need one.
"""

from __future__ import annotations

import contextlib
import functools
import logging
from collections.abc import Callable, Iterator
from subprocess import CompletedProcess
from typing import Any

import pytest
import typer.main

from cutline.cli.app import app
from cutline.logs import ROOT

CommandLine = Callable[..., CompletedProcess[str]]


@pytest.fixture
def command_line(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """Runs `cutline` with the arguments it is given, and returns as a process that has ended."""
    monkeypatch.setenv("NO_COLOR", "1")

    def run(*arguments: object) -> CompletedProcess[str]:
        words = [str(argument) for argument in arguments]
        capfd.readouterr()
        with _logging_as_before(), pytest.raises(SystemExit) as ended:
            parser()(words)
        out, err = capfd.readouterr()
        return CompletedProcess(words, int(ended.value.code or 0), out, err)

    return run


@functools.cache
def parser() -> Any:
    """The command line as its parser has it: built once, which takes a tenth of a second."""
    return typer.main.get_command(app)


@contextlib.contextmanager
def _logging_as_before() -> Iterator[None]:
    """What `-v` shows is shown by the command that asked for it, and by no other."""
    log = logging.getLogger(ROOT)
    handlers, level = list(log.handlers), log.level
    try:
        yield
    finally:
        log.handlers[:] = handlers
        log.setLevel(level)
