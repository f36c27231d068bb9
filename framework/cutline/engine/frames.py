"""Frames between the engine's steps: the columns that a step needs, and those that it adds.

What `cutline.tables` is for tables that are written, this is for frames that are not. A column is
declared once, as the constant by which the code names it; a frame is declared once, from columns;
a step, a function that returns a DataFrame, says beside its name which frame it takes and returns.

Nothing of it happens in a run. Tests call `observed`, and compare the schemas of all steps that
run meanwhile with what they declare.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, ParamSpec, TypeVar

from pyspark.sql import DataFrame

from cutline.tables.contract import Table

_P = ParamSpec("_P")
_Result = TypeVar("_Result", bound=DataFrame | None)


class FrameColumn(str):
    """The name of a column, which knows the column's type, its meaning, and whether it may be null.

    `type` is a Spark SQL type as DDL text. It is a text like any other:

    >>> RULE = FrameColumn("rule", "string", "the merge rule that decided; null while open")
    >>> RULE, RULE.type, RULE.nullable
    ('rule', 'string', True)
    """

    __slots__ = ("doc", "nullable", "type")
    type: str
    doc: str
    nullable: bool

    def __new__(cls, name: str, type: str, doc: str, nullable: bool = True) -> FrameColumn:
        column = super().__new__(cls, name)
        column.type, column.doc, column.nullable = type, doc, nullable
        return column

    def __reduce__(self) -> tuple[Any, ...]:
        return FrameColumn, (str(self), self.type, self.doc, self.nullable)

    def with_type(self, type: str) -> FrameColumn:
        """The column, where its type depends on the translator."""
        return FrameColumn(str(self), type, self.doc, self.nullable)


@dataclass(frozen=True)
class ColumnFamily:
    """Columns of one meaning, one per part, rank or the like, whose name follows the prefix.

    >>> ColumnFamily("after_", "", "the row after the commit").of("order", "struct<no:string>")
    'after_order'
    """

    prefix: str
    type: str
    """The type of all of them as DDL text; empty where each has its own."""
    doc: str
    nullable: bool = True

    def of(self, name: str, type: str | None = None) -> FrameColumn:
        """The column of one part, rank or the like."""
        return FrameColumn(f"{self.prefix}{name}", type or self.type, self.doc, self.nullable)


@dataclass(frozen=True)
class Frame:
    """The columns of a frame. `one_row_is` completes the sentence "one row is …"."""

    one_row_is: str
    columns: tuple[FrameColumn, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns, in order."""
        return tuple(str(column) for column in self.columns)

    def named(self, *names: str) -> tuple[FrameColumn, ...]:
        """Some of the columns, in the order of their names here."""
        by_name = {str(column): column for column in self.columns}
        return tuple(by_name[name] for name in names)

    @property
    def ddl(self) -> str:
        """The Spark schema as DDL text."""
        return ", ".join(f"`{column}` {column.type}" for column in self.columns)

    def with_columns(self, *columns: FrameColumn) -> Frame:
        """The frame with more columns."""
        return replace(self, columns=(*self.columns, *columns))

    def without_columns(self, *names: str) -> Frame:
        """The frame without some of its columns."""
        return replace(self, columns=tuple(c for c in self.columns if c not in names))


def frame_of(table: Table) -> Frame:
    """A table's contract as that of a frame."""
    return Frame(
        table.one_row_is,
        tuple(FrameColumn(c.name, c.type, c.doc, c.nullable) for c in table.columns),
    )


FrameOf = Frame | Callable[..., Frame]
"""A frame, or a function that makes it of some of the step's arguments, which it takes by name.

`frame` stands for the frame that the step takes, whatever the argument is called.
"""

ColumnsOf = tuple[FrameColumn, ...] | Callable[..., tuple[FrameColumn, ...]]
"""Columns, or a function that makes them of some of the step's arguments."""

NamesOf = tuple[str, ...] | Callable[..., tuple[str, ...]]
"""Names of columns, or a function that makes them of some of the step's arguments."""


@dataclass(frozen=True)
class StepContract:
    """What a step declares.

    `needs` are columns that its frame must have, and may have more. Either it `returns` exactly
    these columns; or it returns those that it took, without `drops` and with those that it `adds`.
    """

    step: str
    needs: FrameOf | None
    returns: FrameOf | None
    adds: ColumnsOf
    drops: NamesOf


Observer = Callable[[StepContract, Mapping[str, Any], DataFrame], None]
"""A function of a step's contract, its arguments by name, and the frame that it returned."""

CONTRACTS: dict[str, StepContract] = {}
"""The contracts of all steps that have been imported, by module and function."""

_OBSERVERS: list[Observer] = []


def step(
    *,
    needs: FrameOf | None = None,
    returns: FrameOf | None = None,
    adds: ColumnsOf = (),
    drops: NamesOf = (),
) -> Callable[[Callable[_P, _Result]], Callable[_P, _Result]]:
    """Declares the contract of a function that returns a DataFrame, or None where there is none.

    The frame that it `needs` is that of its first argument of type DataFrame.
    """

    def declare(function: Callable[_P, _Result]) -> Callable[_P, _Result]:
        name = f"{function.__module__}.{function.__qualname__}"
        contract = CONTRACTS[name] = StepContract(name, needs, returns, adds, drops)
        parameters = inspect.signature(function)

        @functools.wraps(function)
        def run(*args: _P.args, **kwargs: _P.kwargs) -> _Result:
            result = function(*args, **kwargs)
            for observe in _OBSERVERS:
                bound = parameters.bind(*args, **kwargs)
                bound.apply_defaults()
                if result is not None:
                    observe(contract, bound.arguments, result)
            return result

        return run

    return declare


@contextlib.contextmanager
def observed(observer: Observer) -> Iterator[None]:
    """Within it, the observer is called after each step, with what went in and what came out."""
    _OBSERVERS.append(observer)
    try:
        yield
    finally:
        _OBSERVERS.remove(observer)
