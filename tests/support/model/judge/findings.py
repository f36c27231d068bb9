"""What the judge holds against the engine."""

from __future__ import annotations

from dataclasses import dataclass

CHECKS = (
    "conservation",
    "placed",
    "put-aside",
    "gap",
    "invented",
    "doubled",
    "state",
    "same-ids",
)
"""Each delivered row has one end; on the right side of the cut; none is put aside; no fact is
missing; none is announced that never was; none twice; each row's state is the source's; another
snapshot and another delivery give the same ids."""


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong with one case, by its number."""

    case: int
    check: str
    sentence: str
