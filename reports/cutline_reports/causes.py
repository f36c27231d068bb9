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
    """Breaks with common properties, and a cause that matches hardly have."""

    id: str
    """The same in every run."""
    level: str
    name: str
    """The aggregate or the outcome."""
    column: str | None
    """The column that differs; None where the whole subject (or decision) does."""
    columns: str | None
    """All columns in which its subjects differ, where many subjects have that very set."""
    kind: str
    """missing, unexpected, different or duplicated."""
    pattern: str
    """The change of the legacy's value, in words."""
    rule: str | None
    """The origin of the new value: the translator's rule, or the rule of the row's end."""
    disposition: str | None
    """The end of the legacy row."""
    count: int
    """Its breaks."""
    subjects: int
    """The distinct subjects of its breaks."""
    amount: Decimal | None
    """Sum of new minus legacy; None where no value is a number."""
    money: Decimal | None
    """The sum of the absolute differences."""
    by_money: int | None
    """Its rank among the run's clusters by money, from 1."""
    unit: str
    """The unit of `amount` and `money`; empty without one."""
    cause: str | None
    """Its feed, or else attributes of its subjects that matches hardly have; None if none stands
    out.
    """
    with_cause: int | None
    """Its subjects with the cause."""
    matched_with_cause: int | None
    """Matching subjects with the cause."""
    matched: int
    """Matching subjects of the same level and name."""
    risk_ratio: Decimal | None
    """How many times as often a subject with the cause is in the cluster as one without.

    None where every subject has the cause.
    """
    why: str
    """The cause in one or two sentences."""
    sentence: str
    """The cluster in sentences."""
    examples: tuple[ClusterExample, ...]
    """The largest by amount, then by subject; at most five."""
    fed_by: tuple[str, ...] = ()
    """The clusters of breaks on which its decisions or states depend."""
    settled: int | None = None
    """Its decisions that become the legacy's once their feed is corrected; None where not tried."""


@dataclass(frozen=True)
class Clusters:
    """The clusters of a run; every break is in exactly one."""

    shown: tuple[Cluster, ...] = ()
    """The largest by count first; those with the most money are among them."""
    more: int = 0
    """Clusters that are not shown."""
    breaks_in_more: int = 0
    """Breaks in clusters that are not shown."""
