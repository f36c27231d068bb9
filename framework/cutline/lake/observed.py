"""What is seen of rows in the pass that writes them: how many, their digest, and counts."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import Column, DataFrame, Observation
from pyspark.sql import functions as F
from pyspark.sql import types as T

from cutline.lake.digest import digest_sums, row_hash
from cutline.lake.sums import RowSums


class ObservedFrame:
    """A frame with an observation on it, of which the rest may be asked once it was written.

    `parts` say by table's name which rows are its own, null for all; they are looked at by all of
    `columns`. `counts` are aggregates over all rows. `hashed` is the schema that hashes are made
    by; that of the frame where it is null.
    """

    def __init__(
        self,
        frame: DataFrame,
        columns: tuple[str, ...],
        parts: Mapping[str, Column | None],
        counts: Mapping[str, Column],
        hashed: T.StructType | None = None,
    ) -> None:
        self._observation = Observation()
        self._counts = list(counts)
        # The hash stands in each sum, and is computed once; a column of its own would be copied.
        self._hashed = hashed or T.StructType([frame.schema[name] for name in columns])
        hashes = row_hash(self._hashed)
        aggregates = [column.alias(f"_count_{i}") for i, column in enumerate(counts.values())]
        for name, mine in parts.items():
            rows = F.count(F.lit(1)) if mine is None else F.count_if(mine)
            sums = digest_sums(hashes, mine)
            self._sums = len(sums)
            aggregates += [rows.alias(f"_rows_{name}")]
            aggregates += [one.alias(f"_digest_{name}_{i}") for i, one in enumerate(sums)]
        self.frame = frame.observe(self._observation, *aggregates)

    def sums(self, name: str) -> RowSums:
        """The rows of a table, and what its digest is made of."""
        values = self._observation.get
        halves = tuple(int(values[f"_digest_{name}_{i}"]) for i in range(self._sums))
        return RowSums(int(values[f"_rows_{name}"]), halves, self._hashed)

    def counts(self) -> dict[str, int]:
        """What was counted; 0 where nothing was."""
        values = self._observation.get
        return {name: int(values[f"_count_{i}"] or 0) for i, name in enumerate(self._counts)}
