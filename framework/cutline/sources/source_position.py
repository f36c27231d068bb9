"""What identifies a source: its own position, and that of its changes where they move apart."""

from __future__ import annotations

from collections.abc import Mapping


def changes_input(source: str) -> str:
    """The name of a source's changes among the positions, where these are a live input."""
    return f"{source}.changes"


def snapshot_input(source: str) -> str:
    """The name of a source's snapshot among the positions, where the run itself takes it."""
    return f"{source}.snapshot"


def source_position(positions: Mapping[str, str], source: str) -> str:
    """What identifies all of a source: one text of one or more positions; KeyError without any."""
    names = (source, snapshot_input(source), changes_input(source))
    present = [positions[name] for name in names if name in positions]
    if not present:
        raise KeyError(source)
    return " ".join(present)
