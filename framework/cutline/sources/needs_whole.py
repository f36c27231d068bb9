"""What is new cannot always be read without what came before it."""

from __future__ import annotations


class NeedsWholeRun(Exception):
    """Why what is new cannot be read by itself: everything must be. It is no fault of anybody."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
