"""What was seen in a table's changes, so that only what is needed is done."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Seen:
    """What the extract saw in the changes of a table.

    `partial`: some did not tell all columns, or not the row before. `renames`: some gave a row
    another key. `unplaced`: some carry no position. `generations`: its snapshot came in several
    batches. A change that is what was not seen is quarantined, never taken for whole.
    """

    partial: bool = False
    renames: bool = False
    unplaced: bool = False
    generations: bool = False

    @property
    def anything(self) -> bool:
        """Whether rows must be restored at all."""
        return self.partial or self.renames or self.unplaced or self.generations
