"""`-v`, `-vv` and `--log-format`: log records on stderr."""

from __future__ import annotations

import logging
import sys
from enum import StrEnum
from typing import TextIO

import typer

from cutline.logs import ROOT, JsonLines, fields, moment
from cutline.wording import printable, printable_lines


class LogFormat(StrEnum):
    """How records are written."""

    TEXT = "text"
    JSON = "json"


def show_logs(verbosity: int, log_format: LogFormat | None) -> None:
    """Show records on stderr: from INFO on with a `verbosity` of 1, all of them with more.

    To name a format asks for INFO. With neither, nothing is shown and nothing changes.
    """
    if not verbosity and log_format is None:
        return
    handler = _Stderr()
    handler.setFormatter(JsonLines() if log_format is LogFormat.JSON else TextFormatter())
    root = logging.getLogger(ROOT)
    root.addHandler(handler)
    root.setLevel(logging.DEBUG if verbosity > 1 else logging.INFO)


def in_json() -> bool:
    """Whether stderr holds JSON lines; then Cutline writes nothing else there."""
    handlers = logging.getLogger(ROOT).handlers
    return any(
        isinstance(handler, _Stderr) and isinstance(handler.formatter, JsonLines)
        for handler in handlers
    )


def say(text: str) -> None:
    """Tell people on stderr what is done; nothing where it holds JSON lines."""
    if not in_json():
        typer.echo(printable_lines(text), err=True)


class TextFormatter(logging.Formatter):
    """`2026-11-01T06:00:00.000Z INFO cutline.run.runner stage done stage=merge seconds=3.1`"""

    def format(self, record: logging.LogRecord) -> str:
        """The line, without its end; nothing in it steers a terminal."""
        pairs = (f"{name}={value}" for name, value in fields(record).items())
        words = (moment(record), record.levelname, record.name, record.getMessage(), *pairs)
        trace = f"\n{record.exc_text}" if record.exc_text else ""
        return printable(" ".join(words)) + trace


class _Stderr(logging.StreamHandler[TextIO]):
    """Writes to what `sys.stderr` is at that moment: a live line of progress stands in for it."""

    def __init__(self) -> None:
        logging.Handler.__init__(self)

    @property
    def stream(self) -> TextIO:
        """The stream, looked up anew for each record."""
        return sys.stderr

    @stream.setter
    def stream(self, stream: TextIO) -> None:
        raise NotImplementedError
