"""Source contracts: what the rows of a legacy table look like, as pandera models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandera.pyspark as pa

from cutline.errors import ConfigurationError
from cutline.translator.lifecycle import Lifecycle


class SourceContract(pa.DataFrameModel):  # type: ignore[type-arg]
    """What the rows of one legacy table look like.

    Subclass it once per table: the docstring says what one row is, each column is annotated with
    its Spark type (`T.StringType`, `Annotated[T.DecimalType, 12, 2]`) and described by `column`,
    and `Config.metadata = table(source, name, key=[…])` says where the rows come from.
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        for name in vars(cls).get("__annotations__", {}):
            if hasattr(SourceContract, name):
                raise ConfigurationError(
                    f"contract {cls.__name__}: contracts have a method {name!r}, so a column "
                    "cannot be declared under that name",
                    next_step=f'Write `{name}_: … = column(alias="{name}", …)`.',
                )
        super().__init_subclass__(**kwargs)  # type: ignore[no-untyped-call]

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
    def lifecycle(cls) -> Lifecycle | None:
        """Which status may follow which; null where the contract does not say."""
        found: Lifecycle | None = _metadata(cls).get("lifecycle")
        return found

    @classmethod
    def stable(cls) -> frozenset[str]:
        """The columns whose values never move; the key's are among them."""
        return frozenset(cls.key()) | cls._marked("stable")

    @classmethod
    def classifying(cls) -> tuple[str, ...]:
        """The columns whose values decide what a row means, as declared."""
        marked = cls._marked("classifies")
        return tuple(name for name in cls.columns() if name in marked)

    @classmethod
    def personal(cls) -> frozenset[str]:
        """The columns that hold data about a person."""
        return cls._marked("personal")

    @classmethod
    def _marked(cls, mark: str) -> frozenset[str]:
        columns = cls.columns().items()
        return frozenset(name for name, c in columns if (c.metadata or {}).get(mark))

    @classmethod
    def columns(cls) -> dict[str, Any]:
        """The columns by name, as pandera's schema objects, in the order of declaration."""
        return dict(cls.to_schema().columns)

    @classmethod
    def ddl(cls) -> str:
        """The Spark type of a row: `struct<name: type, …>`."""
        names = {n: n.replace("`", "``") for n in cls.columns()}
        inner = ", ".join(f"`{names[n]}`: {spark_ddl(c)}" for n, c in cls.columns().items())
        return f"struct<{inner}>"


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
    **checks: Any,
) -> Any:
    """A column: what it holds, in which unit, and pandera checks such as `isin=[…]` or `ge=0`.

    `personal` marks data about a person, which is masked wherever data is shown. `stable` says that
    the value is written once and never moves, so that a snapshot still shows what it was when the
    fact happened; key columns are stable anyway. `classifies` says that the value decides what the
    row means: one that no rule has an eye on is unmapped, and its row quarantined.
    """
    metadata = {"personal": personal, "stable": stable, "classifies": classifies}
    return pa.Field(nullable=nullable, description=doc, metadata=metadata, **checks)


def table(
    source: str, name: str, *, key: Sequence[str], lifecycle: Lifecycle | None = None
) -> dict[str, Any]:
    """The metadata that ties a contract to a table of a source, and names its key columns.

    `lifecycle` says which status may follow which.
    """
    return {"source": source, "table": name, "key": list(key), "lifecycle": lifecycle}


def _metadata(contract: type[SourceContract]) -> dict[str, Any]:
    metadata = getattr(contract.Config, "metadata", None)
    if not metadata:
        raise TypeError(f"{contract.__name__} lacks `class Config: metadata = table(…)`")
    return dict(metadata)
