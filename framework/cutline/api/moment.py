"""How the documents of results write a moment."""

from __future__ import annotations

import datetime as dt


def moment_text(at: dt.datetime | None) -> str | None:
    """A moment of UTC to the second, such as `2026-11-01T06:00:00Z`; null for none."""
    return None if at is None else f"{at:%Y-%m-%dT%H:%M:%SZ}"


def exact_moment_text(at: dt.datetime) -> str:
    """A moment of UTC as exact as it is, such as `2026-11-01T06:00:00.500000Z`: where a window
    begins or ends."""
    return at.isoformat().replace("+00:00", "Z")
