"""Where the true sequences are, and the mark of tests that need them."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import pytest

from support.paths import SHARED

EVENTS = Path(os.environ.get("EVENTS_DATA") or SHARED / "data" / "events")

needs_events = pytest.mark.skipif(
    not EVENTS.is_dir(),
    reason=f"the true sequences are not at {EVENTS}; EVENTS_DATA may name the folder",
)


def lines(name: str) -> list[dict[str, str | None]]:
    """The lines of one file, in its order, by column; null for an empty value."""
    with (EVENTS / name).open(encoding="utf-8", newline="") as file:
        return [{k: v or None for k, v in line.items()} for line in csv.DictReader(file)]
