"""What a run tells about itself while it works."""

from __future__ import annotations

from typing import Protocol

from cutline.stage import StageResult


class Progress(Protocol):
    """Told as a run goes on; what it does must not disturb the run."""

    def stage_started(self, name: str) -> None:
        """A stage begins to work."""

    def stage_done(self, name: str, result: StageResult, seconds: float, skipped: bool) -> None:
        """A stage is complete; `skipped` if it already was, and `seconds` are of back then."""

    def note(self, text: str) -> None:
        """One sentence for people, such as that the run continues an interrupted one."""


class Silence:
    """Progress that nobody watches."""

    def stage_started(self, name: str) -> None:
        """Says nothing."""

    def stage_done(self, name: str, result: StageResult, seconds: float, skipped: bool) -> None:
        """Says nothing."""

    def note(self, text: str) -> None:
        """Says nothing."""
