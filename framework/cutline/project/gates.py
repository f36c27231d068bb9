"""Gates: what a run must show before the decision is GO."""

from __future__ import annotations

from decimal import Decimal
from typing import Literal

from pydantic import Field

from cutline.project.base import Section


class Limits(Section):
    """How much must agree. What is left out is not asked; where nothing is given, all must."""

    min_match_rate: float | None = Field(default=None, ge=0, le=1)
    """The least share of compared subjects (or decisions) that agree, 0 to 1."""
    max_breaks: int | None = Field(default=None, ge=0)
    """The most compared subjects (or decisions) that may break."""

    @property
    def least_rate(self) -> float | None:
        """The share that must agree; None where only other limits are set."""
        limits = self.model_dump(exclude={"min_match_rate", "categories"}, exclude_none=True)
        return 1.0 if self.min_match_rate is None and not limits else self.min_match_rate


class LevelGate(Limits):
    """How much of one level must agree, over all aggregates together."""

    categories: dict[str, Limits] = Field(default_factory=dict)
    """Limits of single categories, by the category as the report shows it (`channel=web`)."""


class MoneyLimits(Limits):
    """As Limits, of decisions whose values are amounts."""

    max_money: Decimal | None = Field(default=None, ge=0)
    """The most money that breaks may put at risk, in the outcome's unit: what both sides differ
    by, or the whole value where only one side decides."""


class OutcomeGate(MoneyLimits):
    """How much of one outcome must agree."""

    max_drift: int | None = Field(default=None, ge=0)
    """The most decisions that may break beyond the noise: those on which the legacy agrees with
    itself at the moment of `baseline`. Waivers do not lessen it."""

    categories: dict[str, MoneyLimits] = Field(default_factory=dict)
    """Limits of single categories, by the category as the report shows it."""


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
    siblings: Literal["held"] | None = None
    """`held` keeps back all events and the state of their subjects, so that what comes of them
    later is in order; left out, the rest of a subject is published without them."""


class Uncompared(Section):
    """An aggregate of which nothing is compared, and somebody says that this is right."""

    aggregate: str
    """The aggregate: nobody tells its truth, or a region has none of it."""
    reason: str = Field(min_length=1)
    """Why nothing of it need be compared; the report prints it."""
    owner: str = Field(min_length=1)
    """Who answers for it."""


class OwedComparisons(Section):
    """Comparisons that a run may owe to the next one, as the legacy goes on while runs are made."""

    max_count: int = Field(ge=0)
    """The most subjects and decisions together that changed after the end of history."""
    reason: str = Field(min_length=1)
    """Why so many may be owed; the report prints it."""
    owner: str = Field(min_length=1)
    """Who answers for it."""


class Gates(Section):
    """What decides GO or NO-GO, asked in this order; the first that says no decides."""

    record: LevelGate = LevelGate()
    """Is every eligible legacy entity represented, and nothing else?"""
    state: LevelGate = LevelGate()
    """Does the projected state equal the legacy's truth?"""
    outcome: OutcomeGate = OutcomeGate()
    """Do both sides take the same business decisions?"""
    outcomes: dict[str, OutcomeGate] = Field(default_factory=dict)
    """Gates of single outcomes, by name, in place of `outcome`."""
    accept: tuple[AcceptedExceptions, ...] = ()
    """Accepted exceptions; any other rule must have none."""

    owed: OwedComparisons | None = None
    """Comparisons that may be owed; left out, none. `rollout switch writes` asks for none in any
    case, once the legacy is held."""
    uncompared: tuple[Uncompared, ...] = ()
    """Aggregates of which nothing need be compared; of any other something must be."""

    def categories(self) -> tuple[str, ...]:
        """Every category that a gate asks for, sorted."""
        outcomes = (self.outcome, *self.outcomes.values())
        columns = {*self.record.categories, *self.state.categories}
        return tuple(sorted(columns.union(*(gate.categories for gate in outcomes))))
