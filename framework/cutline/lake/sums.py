"""What a digest is made of: sums over the rows of a table, which add up and can be taken apart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from operator import add, sub
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cutline.lake.digest import digest_sums, digest_text, row_hash


@dataclass(frozen=True)
class RowSums:
    """The number of rows, and the `digest_sums` of their hashes.

    `schema` is what the hashes look at: the columns with the types and nullability that they had
    when they were written. Only sums over one schema may be added.
    """

    rows: int
    halves: tuple[int, ...]
    schema: T.StructType

    @property
    def digest(self) -> str:
        """The digest of a table that holds these rows."""
        return digest_text(self.rows, list(self.halves))

    def plus(self, more: RowSums) -> RowSums:
        """Of the rows of both."""
        return self._with(more, add)

    def less(self, part: RowSums) -> RowSums:
        """Without the rows of `part`, which are among these."""
        return self._with(part, sub)

    def of_nothing(self) -> RowSums:
        """Of no rows, hashed by the same schema."""
        return RowSums(0, (0,) * len(self.halves), self.schema)

    def _with(self, side: RowSums, operation: Any) -> RowSums:
        pairs = zip(self.halves, side.halves, strict=True)
        halves = tuple(operation(mine, theirs) for mine, theirs in pairs)
        return RowSums(operation(self.rows, side.rows), halves, self.schema)

    def as_json(self) -> dict[str, Any]:
        """As a manifest keeps them."""
        return {"rows": self.rows, "sums": list(self.halves), "schema": self.schema.jsonValue()}

    @classmethod
    def from_json(cls, kept_sums: Mapping[str, Any]) -> RowSums:
        schema = T.StructType.fromJson(dict(kept_sums["schema"]))
        return cls(int(kept_sums["rows"]), tuple(map(int, kept_sums["sums"])), schema)


def sums_and_counts(
    rows: DataFrame, schema: T.StructType, counts: Mapping[str, Column]
) -> tuple[RowSums, dict[str, int]]:
    """The sums over the rows of a frame, hashed by `schema`, and counts of them. One job."""
    columns = digest_sums(row_hash(schema))
    sums = rows.agg(F.count(F.lit(1)), *columns, *counts.values()).first()
    assert sums is not None
    values = [int(value or 0) for value in sums]
    halves = tuple(values[1 : len(columns) + 1])
    counted = dict(zip(counts, values[len(columns) + 1 :], strict=True))
    return RowSums(values[0], halves, schema), counted
