"""What identifies a source: its own position, and that of its changes where they move apart."""

from __future__ import annotations

from collections.abc import Mapping


def changes_input(source: str) -> str:
    """The name of a source's changes among the positions, where these are a live input."""
    return f"{source}.changes"


def source_position(positions: Mapping[str, str], source: str) -> str:
    """What identifies all of a source: one text of one or two positions; KeyError without any."""
    changes = positions.get(changes_input(source))
    if changes is None:
        return positions[source]
    return f"{positions[source]} {changes}" if source in positions else changes
