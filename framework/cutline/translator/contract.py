"""Source contracts: what the rows of a legacy table look like, as pandera models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandera.pyspark as pa


class SourceContract(pa.DataFrameModel):  # type: ignore[type-arg]
    """What the rows of one legacy table look like.

    Subclass it once per table: the docstring says what one row is, each column is annotated with
    its Spark type (`T.StringType`, `Annotated[T.DecimalType, 12, 2]`) and described by `column`,
    and `Config.metadata = table(source, name, key=[…])` says where the rows come from.
    """

    @classmethod
    def source(cls) -> str:
        """The source, as cutline.yaml names it."""
        return str(_metadata(cls)["source"])

    @classmethod
    def table(cls) -> str:
        """The table within the source."""
        return str(_metadata(cls)["table"])

    @classmethod
    def key(cls) -> tuple[str, ...]:
        """The columns that identify a row."""
        return tuple(_metadata(cls)["key"])

    @classmethod
    def columns(cls) -> dict[str, Any]:
        """The columns by name, as pandera's schema objects, in the order of declaration."""
        return dict(cls.to_schema().columns)

    @classmethod
    def ddl(cls) -> str:
        """The Spark type of a row: `struct<name: type, …>`."""
        inner = ", ".join(f"`{n}`: {spark_ddl(c)}" for n, c in cls.columns().items())
        return f"struct<{inner}>"


def spark_ddl(column: Any) -> str:
    """The Spark SQL name of a pandera column's type, such as `decimal(12,2)`."""
    return str(column.dtype.type.simpleString())


def column(*, doc: str, nullable: bool = True, personal: bool = False, **checks: Any) -> Any:
    """A column: what it holds, in which unit, and pandera checks such as `isin=[…]` or `ge=0`.

    `personal` marks data about a person, which is masked wherever data is shown.
    """
    metadata = {"personal": personal}
    return pa.Field(nullable=nullable, description=doc, metadata=metadata, **checks)


def table(source: str, name: str, *, key: Sequence[str]) -> dict[str, Any]:
    """The metadata that ties a contract to a table of a source, and names its key columns."""
    return {"source": source, "table": name, "key": list(key)}


def _metadata(contract: type[SourceContract]) -> dict[str, Any]:
    metadata = getattr(contract.Config, "metadata", None)
    if not metadata:
        raise TypeError(f"{contract.__name__} lacks `class Config: metadata = table(…)`")
    return dict(metadata)
