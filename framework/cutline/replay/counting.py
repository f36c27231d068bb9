"""What became of the records of a replay, by type, version and reason."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.replay.events import DOMAIN_EVENTS, REPLAYED

_MOST = 1_000


@dataclass(frozen=True)
class ReplayCount:
    """How many records of a type, written as `written` (a version, or a schema's number; null where
    none is told), ended as what, and by the name of which reason. `events` are those that a
    translator made of them and that are sent; null where none is declared."""

    type: str | None
    written: str | None
    outcome: str
    reason: str | None
    records: int
    events: int | None = None

    @property
    def sent(self) -> int:
        """How many records are sent of them."""
        records = self.records if self.outcome == REPLAYED else 0
        return records if self.events is None else self.events

    def as_json(self) -> dict[str, Any]:
        """Its values by name."""
        return asdict(self)


def counted(events: DataFrame) -> list[ReplayCount]:
    """The counts of all events, by their names; at most 1,000 of them, the largest first."""
    names = ("type", "written", "outcome", "reason")
    number = F.lit(None)
    if DOMAIN_EVENTS in events.columns:
        # Of records that wait nothing is sent.
        size = F.when(F.col("outcome") == REPLAYED, F.array_size(DOMAIN_EVENTS))
        number = F.sum(F.coalesce(size, F.lit(0)))
    rows = events.groupBy(*names).agg(
        F.count(F.lit(1)).alias("records"), number.cast("bigint").alias("events")
    )
    ordered = rows.orderBy(F.col("records").desc(), *names).limit(_MOST)
    return [ReplayCount(*row) for row in ordered.collect()]
