"""What was seen in a table's changes, so that only what is needed is done."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ChangeFeatures:
    """What the extract saw in the changes of a table.

    `partial`: some did not tell all columns, or not the row before. `renames`: some gave a row
    another key. `rereads`: some are rows that a snapshot read while the log ran. `unplaced`: some
    carry no position. `generations`: its snapshot came in several batches. A change that is what
    was not seen is quarantined, never taken for whole. `in_line`: the changes stand in files one
    behind the other, and none says which partition of a topic it came through. `by_partition`: a
    position is a place in a topic, so that only each partition of it has an order.
    """

    partial: bool = False
    renames: bool = False
    rereads: bool = False
    unplaced: bool = False
    generations: bool = False
    in_line: bool = False
    by_partition: bool = False

    @property
    def need_restoring(self) -> bool:
        """Whether rows must be restored at all."""
        return self.partial or self.renames or self.rereads or self.unplaced or self.generations
