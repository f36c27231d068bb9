"""What must be known of a slice before a replay touches production, and what may be spent on it."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from pydantic import Field

from cutline.project.base import Section
from cutline.project.names import TopicName
from cutline.project.waivers import NotBlank

GateName = Literal[
    "compatibility",
    "offsets",
    "storage",
    "cost",
    "governance",
    "rollback",
    "observability",
]
GATES: tuple[GateName, ...] = get_args(GateName)
"""The gates, in the order in which they are shown."""

Days = Annotated[int, Field(ge=1, le=366)]


class RehearsalLimits(Section):
    """The most that a rehearsal may publish, whatever its command asks for."""

    share: float = Field(default=0.05, gt=0, le=1)
    """Of the events of the history."""
    events: int = Field(default=10_000, ge=1, le=1_000_000)
    """Events."""
    messages_per_second: int = Field(default=500, ge=1)
    """Messages in a second."""


class LiveGroup(Section):
    """A consumer group of the live traffic. It is only asked how far it is."""

    group: str = Field(min_length=1)
    """The consumer group."""
    topic: TopicName
    """The live topic that it reads."""
    messages: int = Field(default=1_000, ge=0)
    """How many messages it may be behind while something is rehearsed."""

    @property
    def place(self) -> str:
        """What the group on its topic is called in figures."""
        return f"{self.group}@{self.topic}"


class StorageCapacity(Section):
    """What there is room for, where topics are kept."""

    gigabytes: float = Field(gt=0)
    """Gigabytes (of 1,000,000,000 bytes) that the topics of a slice may take, with all copies."""
    copies: int = Field(default=1, ge=1)
    """Copies of each partition."""


class CostBoundary(Section):
    """What publishing the whole history may cost, and by which prices that is reckoned."""

    currency: NotBlank
    """The currency, such as EUR."""
    limit: float = Field(ge=0)
    """The most that it may cost."""
    gigabyte_sent: float = Field(default=0, ge=0)
    """The price of a gigabyte sent."""
    gigabyte_month: float = Field(default=0, ge=0)
    """The price of a gigabyte kept for a month."""
    months: float = Field(default=12, ge=0)
    """For how many months it is kept."""
    hour: float = Field(default=0, ge=0)
    """The price of an hour in which it is published."""


class Governance(Section):
    """Who answers for the slice, and what may be kept of people."""

    owner: NotBlank
    """Who answers for the slice."""
    on_call: NotBlank
    """Who is called while it is moved."""
    approver: NotBlank
    """Who signs."""
    retention: NotBlank
    """How long its history is kept, and why."""
    personal_data: NotBlank
    """What of people is in it, and by which right."""


class ReadinessSection(Section):
    """The gates of a context. Nothing of it is a part of what names a run."""

    evidence_days: Days = 14
    """For how many days a measurement holds."""
    evidence_days_of: dict[GateName, Days] = Field(default_factory=dict)
    """The same by gate, where it differs."""
    rehearsal: RehearsalLimits = RehearsalLimits()
    """What a rehearsal may publish."""
    live: tuple[LiveGroup, ...] = ()
    """Consumer groups of the live traffic, on Kafka."""
    capacity: StorageCapacity | None = None
    """What there is room for; left out, nobody knows."""
    cost: CostBoundary | None = None
    """What it may cost; left out, nobody knows."""
    governance: Governance | None = None
    """Who answers for it; left out, nobody does."""

    def days_of(self, gate: GateName) -> int:
        """For how many days a measurement holds for a gate."""
        return self.evidence_days_of.get(gate, self.evidence_days)
