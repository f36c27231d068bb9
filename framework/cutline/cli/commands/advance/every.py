"""The time between two runs of a slice that is carried on again and again."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from typing import Annotated

import typer

from cutline.errors import RunFailed
from cutline.wording import printable_lines

_SECONDS = {"s": 1.0, "m": 60.0, "h": 3600.0}
_LONGEST = 366 * 24 * _SECONDS["h"]


def pause_of(text: str | None) -> str | None:
    """The text as it was given; typer.BadParameter unless it is a time such as 5m, of at most a
    year."""
    if text is not None and not seconds_of(text):
        raise typer.BadParameter(f"{text!r} is no time such as 30s, 5m or 1h")
    if text is not None and seconds_of(text) > _LONGEST:
        raise typer.BadParameter(f"{text!r} is more than a year")
    return text


EveryTime = Annotated[
    str | None,
    typer.Option(
        metavar="TIME",
        callback=pause_of,
        help="Stay, and go on again so long after each time: 30s, 5m, 1h.",
    ),
]


def seconds_of(text: str) -> float:
    """The seconds of a time such as 5m; 0 for anything else."""
    time = re.fullmatch(r"(\d+)([smh])", text)
    return float(time[1]) * _SECONDS[time[2]] if time else 0.0


def rest(pause: str) -> bool:
    """Wait so long. False if SIGTERM or Ctrl-C came meanwhile, when nothing is at work."""
    try:
        threading.Event().wait(seconds_of(pause))
    except KeyboardInterrupt:
        return False
    return True


def in_rounds(every: str | None, work: Callable[[], None]) -> None:
    """Work once, or where `every` is given again and again until SIGTERM or Ctrl-C comes between
    two rounds. A broker or a database that is away is said then, and may be there at the next."""
    while True:
        try:
            work()
        except RunFailed as error:
            if every is None:
                raise
            typer.echo(printable_lines(str(error)), err=True)
        if every is None or not rest(every):
            return
