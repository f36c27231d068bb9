"""What differs between two runs, as data. The left run is the earlier one, as it is named first."""

from __future__ import annotations

from dataclasses import dataclass

ADDED, REMOVED, CHANGED, DUPLICATED = "added", "removed", "changed", "duplicated"
OPENED, FIXED, PERSISTING, OTHER_VALUES = "opened", "fixed", "persisting", "other values"


@dataclass(frozen=True)
class ValueChange:
    """A value of both runs; None is null, or that a run has no such row."""

    name: str
    """A column, or a field of a payload."""
    left: str | None
    right: str | None


@dataclass(frozen=True)
class RowExample:
    """One row that differs; personal values are masked."""

    subject: str | None
    values: tuple[ValueChange, ...]


@dataclass(frozen=True)
class RowCluster:
    """A cluster: rows that differ in the same way."""

    change: str
    """added, removed, changed, duplicated; of breaks opened, fixed, persisting, other values."""
    name: str
    """The type of event, the column of state, or the level and name of breaks."""
    differing: tuple[str, ...]
    """The columns and `data.` fields that differ, or for breaks the column and kind; sorted."""
    count: int
    examples: tuple[RowExample, ...]
    """At most three, the first by subject."""


@dataclass(frozen=True)
class RunPart:
    """One kind of rows of two runs: events, the states of an aggregate, or breaks."""

    kind: str
    """events, states or breaks."""
    name: str
    """The aggregate of states; empty for events and breaks."""
    rows_left: int
    rows_right: int
    alike: int
    """Rows that both runs have in the same form."""
    changed: int
    """Rows that both runs have, in another form."""
    removed: int
    """Rows that only the left run has."""
    added: int
    """Rows that only the right run has."""
    clusters: tuple[RowCluster, ...]
    """The largest first."""
    more_clusters: int
    """Clusters that are not among these."""
    count_in_more: int
    """The sum of their counts."""
    columns_only_left: tuple[str, ...] = ()
    """Columns that only the left run has, which are not compared."""
    columns_only_right: tuple[str, ...] = ()
    """Columns that only the right run has."""
