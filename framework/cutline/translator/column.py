"""A column of a contract."""

from __future__ import annotations

from typing import Any

import pandera.pyspark as pa

from cutline.errors import ConfigurationError
from cutline.translator.unique import NO_DUPLICATES


def spark_ddl(column: Any) -> str:
    """The Spark SQL name of a pandera column's type, such as `decimal(12,2)`."""
    return str(column.dtype.type.simpleString())


def column(
    *,
    doc: str,
    nullable: bool = True,
    personal: bool = False,
    stable: bool = False,
    classifies: bool = False,
    unique: bool = False,
    **checks: Any,
) -> Any:
    """A column: what it holds, in which unit, and pandera checks such as `isin=[…]` or `ge=0`.

    `personal` marks data about a person, which is masked wherever data is shown. A `stable`
    value is written once and never changes, so that a snapshot shows the value of the time of the
    fact; key columns are stable anyway. `classifies` says that the value decides what the
    row means: one that no rule has an eye on is unmapped, and its row quarantined. `unique` says
    that no two snapshot rows have the same value; nulls are not compared.
    """
    metadata = {"personal": personal, "stable": stable, "classifies": classifies}
    if unique:
        checks[NO_DUPLICATES] = True
    try:
        return pa.Field(nullable=nullable, description=doc, metadata=metadata, **checks)
    except Exception as error:
        raise ConfigurationError(
            f"the column {doc!r} cannot be declared: {error}",
            next_step="SourceContract says which checks a column may have.",
        ) from error
