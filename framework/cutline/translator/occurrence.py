"""An occurrence: when a fact holds, when it happened, and what the event says."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

EFFECTIVE, COMMIT, EXTRACT = "effective", "commit", "extract"


@dataclass(frozen=True)
class Occurrence:
    """One fact on one image of a row, in Spark columns; in Python values for a `per_row` fact.

    - `when` is the predicate; left out, the fact holds of every row.
    - `at` is when it happened. Where it is null, the event takes the commit time of the change or,
      in a snapshot, the time of the extract, and says so: `migtimebasis`, confidence `approximate`.
    - `time_basis` is what `at` tells: `effective` (the default) for a business time, `commit` for
      the time at which the legacy wrote it down. A fact without `at` must say `commit`: its time is
      that of the change, and nothing better is known.
    - `key` tells one occurrence of a `many` fact from another, where the event's own
      `identified_by` does not: a natural key, or several columns.
    - `data` gives each field of the payload.
    - `subject` is the id of the aggregate the event happens to: a column, or several joined by "/";
      left out, it is the translator's own.
    - `confidence` is what is claimed where the time is known: `exact`, `inferred`, `approximate`.
      A payload column that may have moved makes a snapshot's event `inferred` whatever it says.
    - `replay_safe` says that consumers may act on the event as if it were live. For an event that
      declares a `side_effect` it must be the reason why that is so.
    """

    when: Any = True
    data: Mapping[str, Any] = field(default_factory=dict)
    at: Any = None
    subject: Any | Sequence[Any] | None = None
    key: Any | Sequence[Any] | None = None
    confidence: str = "exact"
    time_basis: str | None = None
    replay_safe: bool | str = False


@dataclass(frozen=True)
class Each:
    """One occurrence per element of an array column."""

    elements: Any
    occurrence: Callable[[Any], Occurrence]


def each(elements: Any, occurrence: Callable[[Any], Occurrence]) -> Each:
    """Announce an event per element of `elements`; `occurrence` is given one element's columns."""
    return Each(elements, occurrence)
