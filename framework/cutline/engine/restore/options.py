"""The features of a table's changes: without them, restoring is left out."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ChangeFeatures:
    """What the extract saw in the changes of a table.

    A change with a feature that the extract did not see is quarantined, never taken for whole.
    """

    partial: bool = False
    """Some changes leave out columns, or the row before."""
    renames: bool = False
    """Some give a row another key."""
    rereads: bool = False
    """Some are rows that a snapshot read while the log ran."""
    unplaced: bool = False
    """Some have no position."""
    generations: bool = False
    """The snapshot came in several batches."""
    in_line: bool = False
    """They are in files that follow one another, and none names a partition of a topic."""
    by_partition: bool = False
    """Their positions are places in a topic, so that only each partition of it has an order."""

    @property
    def need_restoring(self) -> bool:
        """Whether rows must be restored at all."""
        return self.partial or self.renames or self.rereads or self.unplaced or self.generations
