"""Writing a delta: rows, digest and manifest of the whole table, from what is new and what goes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from cutline.lake.base import Base, Replaced, base_of
from cutline.lake.chain import read_whole, replaced_rows
from cutline.lake.manifest import base_path, details_of
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
    from cutline.lake.sums import sums_and_counts

    over = _with_rows(over)
    base = _base_sums(spark, over.path)
    if not over.replaced:
        return OpenDelta(over, base, base.of_nothing(), dict.fromkeys(over.counts, 0))
    going = replaced_rows(read_whole(spark, over.path, None), path, over.replaced)
    gone_rows, counts = sums_and_counts(going, base.schema, over.counts)
    return OpenDelta(over, base, gone_rows, counts)


def _base_sums(spark: SparkSession, path: str) -> RowSums:
    from cutline.lake.sums import RowSums, sums_and_counts

    details = details_of(path)
    if "sums" in details:
        return RowSums.from_json(details)
    # A run of before sums were kept has none: its rows are hashed once more.
    rows = read_whole(spark, path, None)
    return sums_and_counts(rows, rows.schema, {})[0]


def _with_rows(over: Over) -> Over:
    """The same table where its rows lie: below deltas without any."""
    base = base_of(over.path)
    while base is not None and not base.rows and not base.replaced:
        table = replace(over.table, rows=base.base_rows, manifest=base.manifest)
        path = base_path(over.path, base.run_id)
        over = replace(over, run_id=base.run_id, path=path, table=table)
        base = base_of(over.path)
    return over
