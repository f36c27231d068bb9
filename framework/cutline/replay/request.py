"""What is asked of a replay."""

from __future__ import annotations

import datetime as dt
from dataclasses import asdict, dataclass
from typing import Any

from cutline.errors import ConfigurationError
from cutline.project.loaded import LoadedProject

NOTHING_SENT = "Nothing was sent."


@dataclass(frozen=True)
class ReplayRequest:
    """Which replay of cutline.yaml goes to which topic, and which of its records.

    Events of `begin` and later, and before `end`; of `keys` and `types`, where any are named; for
    which `where` is true. `pass_siblings`: what comes behind an exception of the same key is sent.
    `rate` is the most messages a second; null for what the project says.
    """

    name: str
    destination: str
    begin: dt.datetime | None = None
    end: dt.datetime | None = None
    keys: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    where: str | None = None
    pass_siblings: bool = False
    rate: int | None = None

    def chosen(self) -> dict[str, Any]:
        """What of it decides which records are sent, as JSON has it."""
        values = {name: v for name, v in asdict(self).items() if name != "rate"}
        for name in ("begin", "end"):
            values[name] = values[name] and values[name].isoformat()
        return values


def refuse_window(request: ReplayRequest, now: dt.datetime) -> None:
    """ConfigurationError for a window that ends before it begins, or after `now`."""
    if request.end is not None and request.end > now:
        raise ConfigurationError(
            f"--until {request.end.isoformat()} is in the future: what is to be replayed is not "
            "there yet",
            left_behind=NOTHING_SENT,
            next_step=f"Give a moment up to now, {now.isoformat(timespec='seconds')}, or leave it "
            "out: a replay ends where its source stands when it is planned.",
        )
    if request.begin is not None and request.begin >= (request.end or now):
        raise ConfigurationError(
            f"--from {request.begin.isoformat()} is not before --until "
            f"{(request.end or now).isoformat(timespec='seconds')}: no moment is between them",
            left_behind=NOTHING_SENT,
            next_step="Give a window that begins before it ends.",
        )


def refuse_rate(project: LoadedProject, request: ReplayRequest) -> None:
    """ConfigurationError for a rate where the topics are files."""
    if request.rate is not None and project.file.topics.kind == "files":
        raise ConfigurationError(
            "--rate is for topics on Kafka: topics of files are written whole",
            left_behind=NOTHING_SENT,
            next_step="Leave it out.",
        )
