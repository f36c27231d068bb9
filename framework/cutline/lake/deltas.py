"""Writing a delta: rows, digest and manifest of the whole table, from what is new and what goes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from cutline.lake.base import Base, Replaced, base_of
from cutline.lake.chain import read_whole, replaced_rows
from cutline.lake.manifest import details_of
from cutline.lake.written import TableWritten

if TYPE_CHECKING:
    from pyspark.sql import Column, SparkSession
    from pyspark.sql import types as T

    from cutline.lake.sums import RowSums


@dataclass(frozen=True)
class Over:
    """What a delta is written over: the table of a run, in its folder `path`.

    `replaced` are the rows that the delta has anew; those that it has beside come to the others.
    `counts` are aggregates over the rows that go.
    """

    run_id: str
    path: str
    table: TableWritten
    replaced: tuple[Replaced, ...] = ()
    counts: Mapping[str, Column] = field(default_factory=dict)


@dataclass(frozen=True)
class OpenDelta:
    """A delta before its rows are written: the sums of its base, and of what goes of it."""

    over: Over
    base: RowSums
    gone_rows: RowSums
    counts: Mapping[str, int]

    @property
    def hashed(self) -> T.StructType:
        """The schema that its rows are hashed by."""
        return self.base.schema

    def whole(self, new: RowSums) -> RowSums:
        """The sums of the whole table, with the rows that are new."""
        return self.base.less(self.gone_rows).plus(new)

    def details(self, new: RowSums) -> dict[str, Any]:
        """What the manifest of the delta keeps."""
        below = base_of(self.over.path)
        base = Base(
            self.over.run_id,
            self.over.table.manifest,
            self.over.table.rows,
            new.rows,
            deltas=1 if below is None else below.deltas + 1,
            delta_rows=new.rows + (0 if below is None else below.delta_rows),
            whole_rows=self.base.rows if below is None else below.whole_rows,
            replaced=self.over.replaced,
        )
        return {**self.whole(new).as_json(), **base.as_json()}


def open_delta(spark: SparkSession, path: str, over: Over) -> OpenDelta:
    """The delta that is to be written to `path`, where the tables of keys stand beside it."""
    from cutline.lake.sums import RowSums, sums_and_counts

    rows = read_whole(spark, over.path, None)
    details = details_of(over.path)
    # A run of before sums were kept has none: its rows are hashed once more.
    base = (
        RowSums.from_json(details)
        if "sums" in details
        else sums_and_counts(rows, rows.schema, {})[0]
    )
    going = replaced_rows(rows, path, over.replaced)
    if going is None:
        nothing = RowSums(0, (0,) * len(base.halves), base.schema)
        return OpenDelta(over, base, nothing, dict.fromkeys(over.counts, 0))
    gone_rows, counts = sums_and_counts(going, base.schema, over.counts)
    return OpenDelta(over, base, gone_rows, counts)
