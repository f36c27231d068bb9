"""Uniqueness: `column(unique=True)`, and `unique` of a contract's Config for several columns.

pandera.pyspark has no check for one column, so `no_duplicates` is registered there as one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pandera.pyspark as pa
from pyspark.sql import functions as F

from cutline.translator.contract_protocol import ShapedContract

NO_DUPLICATES = "no_duplicates"


@dataclass(frozen=True)
class UniqueColumns:
    """Columns that no two snapshot rows share the values of; a row with a null is not compared."""

    columns: tuple[str, ...]

    @property
    def rule(self) -> str:
        """The name under which every row of a duplicated value is quarantined."""
        return f"contract:{'+'.join(self.columns)}:unique"

    @property
    def reason(self) -> str:
        """What is wrong with such a row, for people."""
        one = len(self.columns) == 1
        told = self.columns[0] if one else f"({', '.join(self.columns)})"
        return f"another row has the same {told}"


def unique_columns(contract: ShapedContract) -> Iterator[UniqueColumns]:
    """What a contract declares as unique, each once: columns first, then its Config's."""
    declared = [
        UniqueColumns((name,))
        for name, column in contract.columns().items()
        if any(check.name == NO_DUPLICATES for check in column.checks)
    ]
    frame = contract.to_schema().unique
    if frame:
        declared.append(UniqueColumns((frame,) if isinstance(frame, str) else tuple(frame)))
    yield from dict.fromkeys(declared)


def _no_duplicates(data: Any, among_known: bool) -> bool:
    """For pandera: whether no value that is known occurs twice in the column."""
    twice = data.dataframe.groupBy(data.column_name).count().where(F.col("count") > 1)
    if among_known:
        twice = twice.where(F.col(f"`{data.column_name}`").isNotNull())
    return bool(twice.limit(1).count() == 0)


def _check(among_known: bool, **options: Any) -> pa.Check:
    return pa.Check(
        _no_duplicates, name=NO_DUPLICATES, error="unique", among_known=among_known, **options
    )


pa.Check.REGISTERED_CUSTOM_CHECKS[NO_DUPLICATES] = _check
