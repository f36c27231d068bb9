"""What is wrong with a schema that is kept for the readers of topics."""

from __future__ import annotations

from cutline.errors import ConfigurationError


def unreadable(subject: str, place: str, reason: str) -> ConfigurationError:
    """The newest schema of a subject is nothing that a payload can be held against."""
    return ConfigurationError(
        f"the newest payload schema of {subject}, at {place}, cannot be read: {reason}",
        left_behind="Nothing was sent.",
        next_step="Cutline did not write it: find out who did, and take it away, or choose another "
        "`topics.prefix`.",
    )
