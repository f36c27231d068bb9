"""What the project says about a bounded context."""

from __future__ import annotations

from cutline.project.base import Section
from cutline.project.cut import CommitTimestampCut
from cutline.project.gates import Gates


class TranslationChoice(Section):
    """Which translation of the installed ones is used."""

    use: str
    """Its name."""
    major: int
    """Its major version."""


class LiveTopics(Section):
    """The live producers' events that overlap the history."""

    aggregates: tuple[str, ...] = ()
    """The aggregates whose `<prefix>.<context>.<aggregate>.live` topic is read."""


class ContextSection(Section):
    """One bounded context of the project."""

    translation: TranslationChoice
    """The translators."""
    cut: CommitTimestampCut
    """Where history ends."""
    live: LiveTopics = LiveTopics()
    """Live events to merge with."""
    gates: Gates = Gates()
    """What decides."""
