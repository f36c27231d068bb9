"""An occurrence: when a fact holds, when it happened, and what the event says."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Occurrence:
    """One fact on one image of a row, in Spark columns.

    `when` is the predicate. `at` is the business time; null or left out, the event takes the commit
    time of the change or, in a snapshot, the time of the extract, and says so (`migtimebasis`) with
    confidence `approximate`. `data` gives each field of the payload. `subject` is the id of the
    aggregate the event happens to: a column, or several joined by "/"; left out, it is the
    translator's own. `confidence` is what is claimed where the business time is known.
    `replay_safe` says that consumers may act on the event as if it were live.
    """

    when: Any
    data: Mapping[str, Any] = field(default_factory=dict)
    at: Any = None
    subject: Any | Sequence[Any] | None = None
    confidence: str = "exact"
    replay_safe: bool = False


@dataclass(frozen=True)
class Each:
    """One occurrence per element of an array column."""

    elements: Any
    occurrence: Callable[[Any], Occurrence]


def each(elements: Any, occurrence: Callable[[Any], Occurrence]) -> Each:
    """Announce an event per element of `elements`; `occurrence` is given one element's columns."""
    return Each(elements, occurrence)
