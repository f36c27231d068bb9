"""How a context settles what meets at the cut line."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class MergePolicy:
    """Which candidate events survive. Rules are asked in the order in which they stand here.

    Duplicate ids are always dropped: an id is what an event is. `reject_after_cut` turns away
    synthetic events of changes committed after the cut, `prefer_native` lets the live producer's
    event win over its synthetic twin, `ignore_duplicate_facts` keeps one event per fact key.
    """

    reject_after_cut: bool = True
    prefer_native: bool = True
    ignore_duplicate_facts: bool = True
