"""What all kinds of topics do: append, compact, tell of the run, and read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from cutline.topics.record import ControlRecord

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class Topics(Protocol):
    """The topics of a project. `records` are frames of `topic`, `key`, `headers`
    (map<string,string>, or a struct as `cutline.topics.headers` has it), `value` (JSON text, null
    for a tombstone) and `timestamp`; perhaps of the event's `id`, which is then not looked for in
    the headers."""

    def append_all(
        self, topics: Sequence[str], run_id: str, records: DataFrame, order: Sequence[str] = ()
    ) -> Mapping[str, int]:
        """Put a run's records on topics, by key and then by the columns that `order` names.

        Returns the number of the run's records by topic. The same call after a kill goes on, and
        leaves each record once.
        """
        ...

    def compact_all(
        self, topics: Sequence[str], run_id: str, records: DataFrame, order: Sequence[str] = ()
    ) -> Mapping[str, int]:
        """As `append_all`, on compacted topics, where each key keeps its last record only."""
        ...

    def standing(
        self,
        spark: SparkSession,
        topics: Sequence[str],
        region: str,
        run_id: str,
        keys: DataFrame | None = None,
    ) -> DataFrame:
        """Topic and key of what compacted topics hold of a slice, tombstones left out: as it was
        before the run put its first record there, so what its own tombstones are about is there.
        Or of these `keys` (`topic`, `key`) alone."""
        ...

    def imprint(
        self, spark: SparkSession, topics: Sequence[str], region: str
    ) -> Mapping[str, str] | None:
        """What topics hold now, as a text for each partition, what other regions put there left
        out: while it is the same, they hold the same. Null where it cannot be told."""
        ...

    def append_records(self, topic: str, run_id: str, records: Sequence[ControlRecord]) -> None:
        """Put single records on a topic; what the run has told there before is not told again."""
        ...

    def read(self, spark: SparkSession, topics: Sequence[str]) -> DataFrame:
        """One row per record of these topics, in the columns of `RECORDS` in
        `cutline.topics.lines`; a topic that is not there has none."""
        ...
