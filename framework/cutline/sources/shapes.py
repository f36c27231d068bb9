"""The shape of a row: by a declared range, else by the columns that the row has.

Shapes are numbered from the newest, 0, to the oldest. A row has a shape if it has each of its
columns and no others, apart from columns that the contract ignores or the table's region predicate
mentions. If a range determines the shape of a JSON line, keys that the line lacks are null.

A partial image, an update that leaves out what did not change, need not have each of the columns.
If several shapes that no range determines fit it, nobody knows which is its own, and it has none.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from pyspark.sql import DataFrame

from cutline.errors import ConfigurationError
from cutline.sources.exact_cast import cast_value
from cutline.sources.layouts import Layout
from cutline.sources.rows import SHAPE, UNKNOWN_SHAPE, UNREADABLE, timestamp_sql
from cutline.sources.used_tables import UsedTable, missing_columns_message
from cutline.sql.spark import let, literal, quoted
from cutline.translator.contract import Older
from cutline.translator.shapes import EVERY_OTHER

COLUMN_NAMES = "_cutline_keys"
"""Column beside a row's own: the names of the columns that it has; null for an unreadable row."""

_NAMES_SHOWN = 6
_NAME_LENGTH = 40


def with_shape(
    frame: DataFrame, table: UsedTable, position: str, *, nulls_omitted: bool
) -> DataFrame:
    """The frame with SHAPE instead of COLUMN_NAMES, and the defect of a row of no shape as
    UNREADABLE.

    `position` is that of the snapshot. `nulls_omitted`: a row may lack columns that are null.
    """
    by = table.shape_time_column
    time = (
        None
        if by is None
        else cast_value(quoted(by), frame.schema[by].dataType, table.shape_time_ddl)
    )
    shape_sql = ShapeSql(table, COLUMN_NAMES, literal(position), time, nulls_omitted=nulls_omitted)
    unreadable = UNREADABLE if UNREADABLE in frame.columns else "CAST(NULL AS string)"
    shaped = frame.selectExpr("*", f"{shape_sql.sql} AS _cutline_shaped")
    defect = f"coalesce({unreadable}, _cutline_shaped.unknown)"
    columns = [quoted(c) for c in frame.columns if c not in (COLUMN_NAMES, UNREADABLE)]
    return shaped.selectExpr(
        *columns, f"_cutline_shaped.shape AS {SHAPE}", f"{defect} AS {UNREADABLE}"
    )


def column_names_sql(columns: Collection[str]) -> str:
    """SQL for COLUMN_NAMES where all rows have the same columns."""
    return _sql_array(columns)


def refuse_no_shape(table: UsedTable, layouts: Sequence[Layout]) -> None:
    """ConfigurationError if no file has all columns of the contract, or of an older shape."""
    first = layouts[0]
    lacking = missing_columns_message(table, str(first.files[0]), first.columns)
    if not table.has_older:
        if lacking:
            raise ConfigurationError(lacking)
        return
    differences = [shape_difference(table, layout.columns) for layout in layouts]
    if all(differences):
        raise ConfigurationError(
            f"{first.files[0]}: table {table.source}.{table.name} fits none of the "
            f"{len(table.shapes)} shapes that contract {table.contract.__name__} knows, new (+) "
            f"and missing (-): {differences[0]}",
            next_step="Declare the shape, or name in `ignores` the columns that do not matter.",
        )


def shape_difference(table: UsedTable, columns: Collection[str]) -> str:
    """The columns that are new (+) and missing (-) compared with the nearest shape.

    Empty if the columns fit a shape.
    """
    differences = [_column_difference(table, k, columns) for k in range(len(table.shapes))]
    return abbreviate(min(differences, key=len)) if all(differences) else ""


def unknown_columns(table: UsedTable, columns: Collection[str]) -> list[str]:
    """The columns, sorted, that no shape has and that the contract does not ignore."""
    if EVERY_OTHER in table.contract.ignores():
        return []
    return sorted(set(columns) - set(table.read_columns) - _ignored_columns(table))


def abbreviate(difference: list[str]) -> str:
    """The first few of the columns that are new (+) or missing (-), and the number of others."""
    shown, more = difference[:_NAMES_SHOWN], len(difference) - _NAMES_SHOWN
    return ",".join([*shown, f"{more} more"] if more > 0 else shown)


class ShapeSql:
    """SQL for the shape of an image, from its column names, its time and its position.

    `partial` is SQL for whether the image may lack the columns `left_out`.
    """

    def __init__(
        self,
        table: UsedTable,
        keys: str,
        position: str,
        time: str | None,
        *,
        nulls_omitted: bool,
        partial: str = "false",
        left_out: Collection[str] = (),
    ) -> None:
        self._table, self._nulls_omitted, self._left_out = table, nulls_omitted, set(left_out)
        self._row = (
            f"named_struct('keys', {keys}, 'time', {time or 'NULL'}, 'position', {position},"
            f" 'partial', {partial})"
        )
        self._ranges = {
            len(table.contract.older()) - i: _before_end(shape)
            for i, shape in enumerate(table.contract.older())
            if shape.ranged
        }
        self._free = [k for k in range(len(table.shapes)) if k not in self._ranges]
        self._timed = time is not None

    @property
    def sql(self) -> str:
        # Each step is computed once, whatever the optimizer would make of columns in its place.
        """SQL for a struct of `shape`, null for an image of no shape, and `unknown`, its defect.

        The struct is null where there is no image.
        """
        differences = ", ".join(
            f"'off{k}', {self._differences_from(k)}" for k in range(len(self._table.shapes))
        )
        defect = f"CASE WHEN k IS NULL THEN concat('{UNKNOWN_SHAPE}', {self._unknown_names()}) END"
        shape_struct = let("k", self._shape(), f"named_struct('shape', k, 'unknown', {defect})")
        with_differences = let("o", f"named_struct({differences})", shape_struct)
        return let("r", self._row, f"CASE WHEN r.keys IS NOT NULL THEN {with_differences} END")

    def _shape(self) -> str:
        without_time = ["WHEN r.time IS NULL THEN NULL"] if self._timed else []
        in_range = [
            f"WHEN {within} THEN CASE WHEN size(o.off{k}) = 0 THEN {k} END"
            for k, within in self._ranges.items()
        ]
        ambiguous = self._if_ambiguous("NULL")
        free = [f"WHEN size(o.off{k}) = 0 THEN {k}" for k in self._free]
        return f"CASE {' '.join([*without_time, *in_range, *ambiguous, *free])} END"

    def _if_ambiguous(self, result: str) -> list[str]:
        """A WHEN with a result for a partial image that fits several shapes which no range
        determines; none where no image can.
        """
        if not self._left_out or len(self._free) == 1:
            return []
        fits = " + ".join(f"CAST(size(o.off{k}) = 0 AS int)" for k in self._free)
        return [f"WHEN r.partial AND {fits} > 1 THEN {result}"]

    def _unknown_names(self) -> str:
        """SQL for the new and missing columns, compared with the range's shape or the nearest."""
        by = literal(str(self._table.shape_time_column))
        without_time = [f"WHEN r.time IS NULL THEN array({by})"] if self._timed else []
        in_range = [f"WHEN {within} THEN o.off{k}" for k, within in self._ranges.items()]
        free = ", ".join(
            f"named_struct('n', size(o.off{k}), 'k', {k}, 'off', o.off{k})" for k in self._free
        )
        missing = self._missing(set(self._table.shapes[0]))
        ambiguous = self._if_ambiguous(f"sort_array({missing})")
        nearest = f"WHEN true THEN array_min(array({free})).off"
        cases = [*without_time, *in_range, *ambiguous, nearest]
        more = f"concat(size(off) - {_NAMES_SHOWN}, ' more')"
        named = f"concat_ws(',', slice(off, 1, {_NAMES_SHOWN}), {more})"
        text = f"CASE WHEN size(off) > {_NAMES_SHOWN} THEN {named} ELSE concat_ws(',', off) END"
        return let("off", f"CASE {' '.join(cases)} END", text)

    def _differences_from(self, k: int) -> str:
        """SQL for an array of the columns that are new and missing, compared with one shape."""
        table = self._table
        shape_columns, beside = set(table.shapes[k]), _ignored_columns(table)
        if EVERY_OTHER in table.contract.ignores():
            extra = (
                f"array_intersect(r.keys, {_sql_array(set(table.read_columns) - shape_columns)})"
            )
        else:
            extra = f"array_except(r.keys, {_sql_array(shape_columns | beside)})"
        new = f"transform({extra}, c -> concat('+', left(c, {_NAME_LENGTH})))"
        by_range = k in self._ranges or (k == 0 and len(self._free) == 1)
        if by_range and self._nulls_omitted:
            return f"sort_array({new})"
        whole = f"sort_array(concat({new}, {self._missing(shape_columns)}))"
        if not self._left_out:
            return whole
        partial = f"sort_array(concat({new}, {self._missing(shape_columns - self._left_out)}))"
        return f"CASE WHEN r.partial THEN {partial} ELSE {whole} END"

    def _missing(self, columns: set[str]) -> str:
        """SQL for an array of those of the columns that the image lacks, as names of a defect."""
        return f"transform(array_except({_sql_array(columns)}, r.keys), c -> concat('-', c))"


def _before_end(shape: Older) -> str:
    if shape.until_time is not None:
        return f"CAST(r.time AS timestamp) < {timestamp_sql(shape.until_time)}"
    return f"r.position < '{shape.position}'"


def _column_difference(table: UsedTable, k: int, columns: Collection[str]) -> list[str]:
    shape_columns, present = set(table.shapes[k]), set(columns)
    if EVERY_OTHER in table.contract.ignores():
        new = present & set(table.read_columns) - shape_columns
    else:
        new = present - shape_columns - _ignored_columns(table)
    return sorted(
        [f"+{c[:_NAME_LENGTH]}" for c in new] + [f"-{c}" for c in shape_columns - present]
    )


def _ignored_columns(table: UsedTable) -> set[str]:
    """The columns that rows of any shape may have besides: ignored ones, and the predicate's."""
    words = re.findall(r"`([^`]+)`|\"([^\"]+)\"|(\w+)", table.section.region or "")
    mentioned = {word for groups in words for word in groups if word}
    return (mentioned | table.contract.ignores()) - set(table.read_columns)


def _sql_array(names: Collection[str]) -> str:
    if not names:
        return "CAST(array() AS array<string>)"
    return f"array({', '.join(literal(n) for n in sorted(names))})"
