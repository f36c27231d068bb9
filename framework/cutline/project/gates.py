"""Gates: what a run must show before the decision is GO."""

from __future__ import annotations

from pydantic import Field

from cutline.project.base import Section


class LevelGate(Section):
    """How much of one level must agree."""

    min_match_rate: float = Field(default=1.0, ge=0, le=1)
    """The least share of compared subjects (or decisions) that agree, 0 to 1."""


class AcceptedExceptions(Section):
    """Exceptions of one rule that somebody has looked at and accepts."""

    rule: str
    """The rule's name, as the report shows it."""
    max_rate: float = Field(ge=0, le=1)
    """The largest share of all source rows (or candidate events) that is still acceptable."""
    reason: str = Field(min_length=1)
    """Why they are acceptable; the report prints it."""
    owner: str = Field(min_length=1)
    """Who answers for it."""


class Gates(Section):
    """What decides GO or NO-GO, asked in this order; the first that says no decides."""

    record: LevelGate = LevelGate()
    """Is every eligible legacy entity represented, and nothing else?"""
    state: LevelGate = LevelGate()
    """Does the projected state equal the legacy's truth?"""
    outcome: LevelGate = LevelGate()
    """Do both sides take the same business decisions?"""
    outcomes: dict[str, LevelGate] = Field(default_factory=dict)
    """Gates of single outcomes, by name, in place of `outcome`."""
    accept: tuple[AcceptedExceptions, ...] = ()
    """Accepted exceptions; any other rule must have none."""
