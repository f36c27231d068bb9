"""Source contracts: the columns and checks of a legacy table, as pandera models.

A contract and its older shapes are in one module, as each refers to the other.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandera.pyspark as pa

from cutline.errors import ConfigurationError, did_you_mean
from cutline.positions import PostgresPosition
from cutline.sql.spark import quoted
from cutline.translator.column import spark_ddl
from cutline.translator.lifecycle import Lifecycle
from cutline.translator.local_times import register_local_times
from cutline.translator.shapes import refuse_wrong_shapes

register_local_times()


class SourceContract(pa.DataFrameModel):  # type: ignore[type-arg]
    """What the rows of one legacy table look like.

    Subclass it once per table: the docstring says what one row is, each column is annotated with
    its Spark type (`T.StringType`, `Annotated[T.DecimalType, 12, 2]`) and described by `column`,
    and `Config.metadata = table(source, name, key=[…])` says where the rows come from.

    A value is read exactly, or its row is quarantined (`wrong-type:<column>`). `T.DoubleType` and
    `T.FloatType` take a number that is what is written of one of their values: a whole number to
    its last digit, but for zeros at its end, and a fraction of 17 digits at most, of a float 9.
    So 0.1 is taken; 9007199254740993 is not, nor is a fraction of 30 digits, even where a program
    wrote it of a double: declare such a column as a decimal or as text.

    What a row must be, beyond its types, is said in three places:

    - by a column: `nullable`, `eq`, `ne`, `gt`, `ge`, `lt`, `le`, `in_range`, `isin`, `notin`,
      `str_matches`, `str_contains`, `str_startswith`, `str_endswith`, `str_length`, `unique`;
    - by `Config.unique = ["order_no", "line_no"]`: no two snapshot rows share all of these;
    - by methods between columns, which have the row and say in their docstring what is wrong:

          @row_check
          def released_before_placed(cls, row):
              "It was released before it was placed."
              return row.released_at >= row.placed_at

    A row that breaks its contract is quarantined with all the checks that it breaks, as
    `contract:<column>:<check>`, `contract:<a+b>:unique` or `contract:<method>`. A null breaks only
    `nullable`. A check that cannot be judged row by row is refused when a translator uses the
    contract. pandera's own `validate` gives the same verdicts, with the exceptions that
    docs/contract-checks.md lists.
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
        if getattr(getattr(cls, "Config", None), "metadata", None):
            refuse_wrong_shapes(cls)

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
        declared: Lifecycle | None = _metadata(cls).get("lifecycle")
        return declared

    @classmethod
    def older(cls) -> tuple[Older, ...]:
        """The shapes that rows of the table had before, oldest first."""
        metadata = getattr(cls.Config, "metadata", None) or {}
        return tuple(metadata.get("older", ()))

    @classmethod
    def ignores(cls) -> frozenset[str]:
        """The columns that rows may have beside those of their shape."""
        return frozenset(_metadata(cls).get("ignores", ()))

    @classmethod
    def apart(cls) -> tuple[str, ...]:
        """Columns that separate rows which are never compared with each other; usually none.

        The testing kit translates many worlds in one job and separates them by such a column.
        """
        return tuple(_metadata(cls).get("apart", ()))

    @classmethod
    def stable(cls) -> frozenset[str]:
        """The columns whose values never move; the key's are among them."""
        return frozenset(cls.key()) | cls._columns_marked("stable")

    @classmethod
    def classifying(cls) -> tuple[str, ...]:
        """The columns whose values decide what a row means, as declared."""
        marked = cls._columns_marked("classifies")
        return tuple(name for name in cls.columns() if name in marked)

    @classmethod
    def personal(cls) -> frozenset[str]:
        """The columns that hold data about a person."""
        return cls._columns_marked("personal")

    @classmethod
    def _columns_marked(cls, mark: str) -> frozenset[str]:
        columns = cls.columns().items()
        return frozenset(name for name, c in columns if (c.metadata or {}).get(mark))

    @classmethod
    def columns(cls) -> dict[str, Any]:
        """The columns by name, as pandera's schema objects, in the order of declaration."""
        return dict(cls.to_schema().columns)

    @classmethod
    def ddl(cls) -> str:
        """The Spark type of a row: `struct<name: type, …>`."""
        inner = ", ".join(f"{quoted(n)}: {spark_ddl(c)}" for n, c in cls.columns().items())
        return f"struct<{inner}>"


@dataclass(frozen=True)
class Older:
    """One older shape: its columns, how its rows become rows of the next newer shape, its range.

    Made by `older`, which says what each field means.
    """

    contract: type[SourceContract]
    lift: Callable[[Any], Mapping[str, Any]]
    until_position: str | None = None
    until_time: dt.datetime | None = None
    by: str | None = None

    @property
    def position(self) -> str | None:
        """The first position that is no longer of this shape, as sources compare positions."""
        return (
            None
            if self.until_position is None
            else PostgresPosition.parse(self.until_position).text
        )

    @property
    def ranged(self) -> bool:
        """Whether a range tells its rows, rather than their columns."""
        return self.until_position is not None or self.until_time is not None


def older(
    contract: type[SourceContract],
    *,
    lift: Callable[[Any], Mapping[str, Any]],
    until_position: str | None = None,
    until_time: dt.datetime | None = None,
    by: str | None = None,
) -> Older:
    """An older shape of a table, for `table(…, older=[…])`, which lists them oldest first.

    `contract` declares the columns as they were then. Its values are read in its own types; its
    checks are not asked, as the newest contract checks the lifted row. `lift` takes such a row
    (`row.amount` is a Spark column) to a dict of the next newer shape's columns; a column that it
    leaves out keeps its name and value. What a lifted value would lose in the next shape's type is
    the defect `wrong-type:<column>`.

    Rows are told by their columns, unless a range is given: rows before `until_position` in the
    log (as PostgreSQL writes it; snapshot rows lie at the consistent point), or rows whose column
    `by`, a time that every shape has, is before `until_time`. A range ends where the next begins.
    """
    return Older(contract, lift, until_position, until_time, by)


def table(
    source: str,
    name: str,
    *,
    key: Sequence[str],
    lifecycle: Lifecycle | None = None,
    older: Sequence[Older] = (),
    ignores: Sequence[str] = (),
) -> dict[str, Any]:
    """The metadata that ties a contract to a table of a source, and names its key columns.

    `lifecycle` says which status may follow which. `older` lists the shapes that rows had before,
    oldest first. With them, a row must be of one of the shapes, column by column: `ignores` names
    what it may have beside (`["*"]`: whatever it is), as do the columns of the region predicate.
    """
    return {
        "source": source,
        "table": name,
        "key": list(key),
        "lifecycle": lifecycle,
        "older": list(older),
        "ignores": list(ignores),
    }


def table_name(contract: type[SourceContract]) -> str:
    """The table as people write it: `erp.orders`."""
    return f"{contract.source()}.{contract.table()}"


def _metadata(contract: type[SourceContract]) -> dict[str, Any]:
    metadata = getattr(contract.Config, "metadata", None)
    if not metadata:
        raise ConfigurationError(
            f"contract {contract.__name__} does not say where its rows come from",
            next_step="Write `class Config: metadata = table(source, name, key=[…])` in it.",
        )
    return dict(metadata)


def refuse_undeclared_columns(contract: type[SourceContract]) -> None:
    """ConfigurationError if its key or its lifecycle names a column that it does not have."""
    columns = tuple(contract.columns())
    lifecycle = contract.lifecycle()
    named = [("key", name) for name in contract.key()]
    named += [("lifecycle", lifecycle.column)] if lifecycle else []
    for role, name in named:
        if name not in columns:
            raise ConfigurationError(
                f"contract {contract.__name__}: its {role} names {name!r}, which is none of its "
                f"columns.{did_you_mean(name, columns)}",
                next_step=f"Its columns are: {', '.join(columns)}.",
            )
