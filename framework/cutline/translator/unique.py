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
    """Columns whose values no two snapshot rows share; a row with a null is not compared."""

    columns: tuple[str, ...]

    @property
    def rule(self) -> str:
        """The name under which every row of a duplicated value is quarantined."""
        return f"contract:{'+'.join(self.columns)}:unique"

    @property
    def reason(self) -> str:
        """The reason that people read for such a row."""
        single = len(self.columns) == 1
        names = self.columns[0] if single else f"({', '.join(self.columns)})"
        return f"another row has the same {names}"


def unique_columns(contract: ShapedContract) -> Iterator[UniqueColumns]:
    """The unique columns of a contract, each once: those of columns first, then its Config's."""
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
    """Whether no value occurs twice in the column; `among_known`: nulls are not counted."""
    twice = data.dataframe.groupBy(data.column_name).count().where(F.col("count") > 1)
    if among_known:
        twice = twice.where(F.col(f"`{data.column_name}`").isNotNull())
    return bool(twice.limit(1).count() == 0)


def _check(among_known: bool, **options: Any) -> pa.Check:
    return pa.Check(
        _no_duplicates, name=NO_DUPLICATES, error="unique", among_known=among_known, **options
    )


pa.Check.REGISTERED_CUSTOM_CHECKS[NO_DUPLICATES] = _check
