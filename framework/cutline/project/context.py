"""What the project says about a bounded context."""

from __future__ import annotations

from pydantic import Field

from cutline.project.base import Section
from cutline.project.cut import HistoryCut
from cutline.project.gates import Gates
from cutline.project.live import LiveTopics
from cutline.project.merge import MergeSection
from cutline.project.names import Identifier
from cutline.project.reconcile import ReconcileSection
from cutline.project.triage import TriageSection


class TranslationChoice(Section):
    """Which translation of the installed ones is used."""

    use: str
    """Its name."""
    major: int
    """Its major version."""


class ContextSection(Section):
    """One bounded context of the project."""

    translation: TranslationChoice
    """The translators."""
    cut: HistoryCut
    """Where history ends."""
    cuts: dict[Identifier, HistoryCut] = Field(default_factory=dict)
    """By source, where its history ends, if otherwise than `cut` says."""
    live: LiveTopics = LiveTopics()
    """Live events to merge with."""
    merge: MergeSection = MergeSection()
    """How events that meet are settled, where otherwise than the context says."""
    reconcile: ReconcileSection = ReconcileSection()
    """As of when the legacy tells its truth."""
    gates: Gates = Gates()
    """What decides."""
    triage: TriageSection = TriageSection()
    """How its exceptions are sorted."""
