"""What a rollout tells while it is performed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class RolloutEvent:
    """A step that begins or is done, or a sentence of the step at work. `print` shows it."""

    phase: Literal["begun", "done", "said"]
    step: str | None
    says: str

    def __str__(self) -> str:
        return f"  {self.says}" if self.phase == "said" else f"{self.step}: {self.says}"


OnRolloutEvent = Callable[[RolloutEvent], None]
"""Called with each event."""


def ignore_rollout_events(_: RolloutEvent) -> None:
    """Tells nobody."""
