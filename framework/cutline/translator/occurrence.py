"""An occurrence: the predicate of a fact, its time, and the payload of its event."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

EFFECTIVE, COMMIT, EXTRACT = "effective", "commit", "extract"
"""The bases of an event's time: the business time, the time of the legacy's commit, or that of the
extract. A translator declares one of the first two; the third is used where no time is known.
"""


class LeftOut:
    """The type of LEFT_OUT: a value that an occurrence does not have, unlike a null."""

    def __repr__(self) -> str:
        return "LEFT_OUT"


LEFT_OUT = LeftOut()


@dataclass(frozen=True)
class Occurrence:
    """One fact on one image of a row, in Spark columns; in Python values for a `per_row` fact.

    - `when` is the predicate; left out, the fact holds of every row. Null is false.
    - `at` is when it happened, a timestamp or a date (its first moment, UTC). If it is null, the
      event has the commit time of the change or, in a snapshot, the time of the extract:
      `migtimebasis` is `commit` or `extract`, its confidence `approximate`.
    - `time_basis` is the basis of `at`: `effective` (the default) for a business time, `commit` for
      the time at which the legacy wrote it down. A fact without `at` must declare `commit`: its
      time is that of the change.
    - `key` identifies an occurrence of a `many` fact whose event has no `identified_by`: a natural
      key, or several columns.
    - `data` gives each field of the payload its column; a field that may be null can be left out.
      A column is cast to the field's type if nothing is lost by it; a value that would lose
      something, or breaks the field's constraints, quarantines the row as
      `payload:<Event>.<field>`. So does a text for a date or a moment that tells no day.
    - `subject` is the id of the aggregate the event happens to: a column, or several joined by "/";
      left out, it is the translator's own. One that is null, or has "/" in one of several,
      quarantines the row.
    - `confidence` is what is claimed where `at` is there: `exact`, `inferred`, `approximate`.
      `exact` becomes `inferred` in a snapshot where a column of the payload or of `at` may have
      moved since (it is not `stable`, or of an optional part, or of a lookup whose key columns are
      not `stable`); from a change that did not set such a column of `at`, or came after the fact,
      which was true of a row that had been put aside; and where something required is missing and
      inferred over. With `time_basis="commit"` it is `approximate`.
    - `replay_safe` says that consumers may act on the event as if it were live: `migreplaysafe`.
      For an event that declares a `side_effect` it must be the reason why that does no harm.

    ConfigurationError, before any row is read, for neither a time nor a `time_basis`, for a `key`
    of a fact that happens once or whose event is `identified_by` fields, for a field that the
    payload does not have, and for a missing field that it must have.
    """

    when: Any = True
    data: Mapping[str, Any] = field(default_factory=dict)
    at: Any = None
    subject: Any | Sequence[Any] | LeftOut | None = LEFT_OUT
    key: Any | Sequence[Any] | None = None
    confidence: str = "exact"
    time_basis: str | None = None
    replay_safe: bool | str = False


@dataclass(frozen=True)
class Each:
    """One occurrence per element of an array column; made by `each`."""

    elements: Any
    occurrence: Callable[[Any], Occurrence]


def each(elements: Any, occurrence: Callable[[Any], Occurrence]) -> Each:
    """What a fact returns to announce an event per element of an array of structs.

    `occurrence` is given one element (`need.sku` is a column of it) and returns its Occurrence;
    columns of the row may be used in it. An array that is null or empty announces nothing. Each
    element's event needs something that tells it apart: `identified_by` fields, a `key`, or a
    `subject`. Only `@fact` may return it, and not `per_row`.
    """
    return Each(elements, occurrence)
