"""Whether a read of a database goes on: stopped once, at a limit or by what went wrong."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from cutline.errors import CutlineError


@dataclass
class ReadStop:
    """`stop` is set when the read is to end; `refused` is then why, if it is an error of ours."""

    stop: threading.Event = field(default_factory=threading.Event, init=False)
    refused: CutlineError | None = field(default=None, init=False)

    def check(self) -> None:
        """Raises why the read was stopped, if it was."""
        if self.refused is not None:
            raise self.refused

    def refuse(self, refusal: CutlineError) -> None:
        """Stops the read: the first refusal is why."""
        self.refused = self.refused or refusal
        self.stop.set()


def old_snapshot(shown: str, key: str, age: float, limit: float) -> str:
    """The sentence for a snapshot that has been open for longer than the limit, in seconds."""
    return (
        f"{shown}: the snapshot has been open for {age:,.0f} seconds, longer than "
        f"{key}.limits.snapshot_seconds ({limit:g}), and while it is the database cannot clean up"
    )
