"""The whole of which each subject of an aggregate is a part, as its aggregate declares it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class PartOf:
    """Every subject of an aggregate is a part of a subject of `aggregate`, its whole.

    `by` are the state columns of the part that name the whole: their texts, joined by "/" where
    they are several, are its id. How the part's own id is spelled says nothing.
    """

    aggregate: str
    by: tuple[str, ...]


def part_of(aggregate: str, by: str | Sequence[str]) -> PartOf:
    """A part is known with its whole: an exception of the whole excuses that a part is missing,
    and the whole's breaks are looked for in the rows of its parts.

    Reconciliation takes the columns from the legacy's truth, so truth must tell them; where it
    does not, or one of them is null, the part has no whole and nothing of it is excused.
    """
    return PartOf(aggregate, (by,) if isinstance(by, str) else tuple(by))
