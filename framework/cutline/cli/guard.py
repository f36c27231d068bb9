"""How a command ends: its exit code, and what people read when it did not go well."""

from __future__ import annotations

import contextlib
import datetime as dt
import functools
import os
import signal
import threading
import traceback
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import ParamSpec

import typer

from cutline.cli.logs import in_json
from cutline.cli.option_names import in_options
from cutline.errors import EXIT_FAILED, ArgumentRefused, CutlineError, RunFailed
from cutline.logs import logger
from cutline.secrets import as_written
from cutline.wording import printable_lines

_LOG = logger(__name__)

P = ParamSpec("P")

_COMPLETED_STAYS = "What a run had completed is kept."
_AGAIN = "Run the same command again: a run continues where it stopped."


def guarded(command: Callable[P, int]) -> Callable[P, None]:
    """A command for typer out of one that returns its exit code.

    Errors are told on stderr as what happened, what was left behind and what comes next. A
    traceback is shown only with CUTLINE_TRACE=1; that of a defect is kept in `.cutline` of the
    project's folder. Ctrl-C and SIGTERM end it with exit code 3, and it says how far it came.
    """

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            with _sigterm_as_interrupt():
                code = command(*args, **kwargs)
        except (typer.Exit, typer.Abort, typer.BadParameter):
            raise
        except ArgumentRefused as error:
            sentence, next_step = in_options(error, command)
            _tell(sentence, error.left_behind, next_step)
            code = error.exit_code
        except CutlineError as error:
            _tell(error.what, error.left_behind, _with_traceback(error, _folder(kwargs)))
            code = error.exit_code
        except KeyboardInterrupt as error:
            # Who was at work has noted how far it came.
            how_far = " ".join(getattr(error, "__notes__", ())) or _COMPLETED_STAYS
            _tell(str(error) or "Interrupted.", how_far, _AGAIN)
            code = EXIT_FAILED
        except Exception as error:
            _tell_defect(error, _folder(kwargs))
            code = EXIT_FAILED
        raise typer.Exit(code)

    return run


def tell_error(error: CutlineError) -> None:
    """Tell an error on stderr as one that ends a command, which goes on."""
    _tell(error.what, error.left_behind, error.next_step)


class _Terminated(KeyboardInterrupt):
    """SIGTERM came.

    `python -m` ends by SIGINT, whatever its exit code was to be, once a KeyboardInterrupt itself
    left code that Python made of a text, as it does for dataclasses. It does not for a subclass.
    """


@contextlib.contextmanager
def _sigterm_as_interrupt() -> Iterator[None]:
    """Let SIGTERM end a command as Ctrl-C does: what it holds is released, and it says how far it
    came. The second one ends it at once."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(number: int, _: object) -> None:
        signal.signal(number, signal.SIG_DFL)
        raise _Terminated("Ended by SIGTERM.")

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _folder(options: Mapping[str, object]) -> Path:
    """The project's folder, by the command's options."""
    return next(
        (v for v in (options.get("project"), options.get("dir")) if isinstance(v, Path)), Path()
    )


def _with_traceback(error: CutlineError, folder: Path) -> str:
    """What comes next; for what a stage did not expect, also where the traceback is."""
    # Only of RunFailed itself: its subclasses tell all there is, and may hide a secret on purpose.
    if type(error) is not RunFailed or error.__cause__ is None:
        return error.next_step
    return f"{error.next_step} Its cause is told by {_keep_traceback(folder)}."


def _tell(message: str, left_behind: str = "", next_step: str = "") -> None:
    """Three short paragraphs on stderr, or one record where it holds JSON lines."""
    if in_json():
        paragraphs = {"error": message, "left_behind": left_behind, "next_step": next_step}
        _LOG.error("command failed", extra=paragraphs)
        return
    if os.environ.get("CUTLINE_TRACE") == "1":
        typer.echo(as_written(traceback.format_exc()), err=True)
    for label, colour, text in (
        ("error", "red", message),
        ("left behind", "yellow", left_behind),
        ("next", "green", next_step),
    ):
        if text:
            typer.secho(f"{label}: ", fg=colour, bold=True, nl=False, err=True)
            typer.echo(printable_lines(text), err=True)


def _tell_defect(error: Exception, folder: Path) -> None:
    first = (as_written(str(error)).strip().splitlines() or [""])[0][:300]
    trace_file = _keep_traceback(folder)
    _tell(
        f"Cutline stopped at something it did not expect: {type(error).__name__}: {first}",
        _COMPLETED_STAYS,
        f"{_AGAIN} If it stops there again, report it with {trace_file}.",
    )


def _keep_traceback(folder: Path) -> str:
    """Where the traceback of the current exception is to be had, for people."""
    trace = as_written(traceback.format_exc())
    place = folder / ".cutline"
    stamp = f"{dt.datetime.now(dt.UTC):%Y%m%dT%H%M%S%fZ}"
    try:
        place = folder.resolve(strict=True) / ".cutline"
        trace_file = place / f"error-{stamp}.txt"
        trace_file.parent.mkdir(exist_ok=True)
        (trace_file.parent / ".gitignore").write_text("*\n")
        trace_file.touch(mode=0o600)
        trace_file.write_text(trace, encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        return (
            f"the traceback, which CUTLINE_TRACE=1 shows: it cannot be kept in {place} "
            f"({error.strerror})"
        )
    return f"the traceback in {trace_file}"
