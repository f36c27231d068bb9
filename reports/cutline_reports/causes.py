"""Clusters of breaks with their likely causes, as data."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True)
class ClusterExample:
    """One break of a cluster and the legacy row behind it."""

    subject: str
    legacy: str | None
    """The legacy's value; None is null."""
    new: str | None
    """The new side's value; None is null."""
    amount: Decimal | None
    """New minus legacy, where both are numbers."""
    source: str | None
    """The legacy system whose row made the value; None where no row is known."""
    table: str | None
    key: str | None


@dataclass(frozen=True)
class Cluster:
    """Breaks that look alike, and what they have that matches have not."""

    id: str
    """The same in every run."""
    level: str
    name: str
    """The aggregate or the outcome."""
    column: str | None
    """The column that differs; None where the whole subject (or decision) does."""
    columns: str | None
    """All columns in which its subjects differ, where many differ in just these."""
    kind: str
    """missing, unexpected, different or duplicated."""
    pattern: str
    """What became of the legacy's value, in words."""
    rule: str | None
    """What made the new value: the translator's rule, or the rule of the row's end."""
    disposition: str | None
    """The end of the legacy row."""
    count: int
    """Breaks in it."""
    subjects: int
    """Distinct subjects of those."""
    amount: Decimal | None
    """Sum of new minus legacy; None where no value is a number."""
    money: Decimal | None
    """Sum of the distances whatever their sign."""
    by_money: int | None
    """Its place among the run's clusters by money, from 1."""
    unit: str
    """The unit of both, where they have one."""
    cause: str | None
    """What feeds it from below, else what its subjects have and matches hardly have; None where
    nothing stands out."""
    with_cause: int | None
    """Its subjects that have it."""
    matched_with_cause: int | None
    """Subjects that match and have it."""
    matched: int
    """Subjects of the same level and name that match."""
    risk_ratio: Decimal | None
    """How many times as often a subject with the cause is in the cluster as one without; None
    where every subject has it."""
    why: str
    """The cause for people: a sentence or two."""
    sentence: str
    """All of this for people."""
    examples: tuple[ClusterExample, ...]
    """The largest by amount, then by subject; at most five."""
    fed_by: tuple[str, ...] = ()
    """The clusters whose breaks its decisions or states depend on."""
    settled: int | None = None
    """Its decisions that are the legacy's once what they look at is; None where not tried."""


@dataclass(frozen=True)
class Clusters:
    """The clusters of a run; every break is in exactly one."""

    shown: tuple[Cluster, ...] = ()
    """By count, largest first; those of most money are among them."""
    more: int = 0
    """Clusters that are not shown."""
    breaks_in_more: int = 0
    """Breaks in those."""
