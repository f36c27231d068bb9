"""What became of the records of a replay, by type, version and reason."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

_MOST = 1_000


@dataclass(frozen=True)
class ReplayCount:
    """How many records of a type, written as `written` (a version, or a schema's number; null where
    none is told), ended as what, and by the name of which reason."""

    type: str | None
    written: str | None
    outcome: str
    reason: str | None
    records: int

    def as_json(self) -> dict[str, Any]:
        """Its values by name."""
        return asdict(self)


def counted(events: DataFrame) -> list[ReplayCount]:
    """The counts of all events, by their names; at most 1,000 of them, the largest first."""
    names = ("type", "written", "outcome", "reason")
    rows = events.groupBy(*names).agg(F.count(F.lit(1)).alias("records"))
    ordered = rows.orderBy(F.col("records").desc(), *names).limit(_MOST)
    return [ReplayCount(*row) for row in ordered.collect()]
