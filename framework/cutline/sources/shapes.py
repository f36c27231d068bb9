"""Which shape a row is of: told by a declared range, else by the columns that the row has.

Shapes are numbered from the newest, 0, to the oldest. A row is of a shape if it has each of its
columns and no other, except those that the contract ignores and those that the table's region
predicate speaks of. Where a range tells the shape of a JSON line, a key that is left out is null.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from pyspark.sql import DataFrame

from cutline.errors import ConfigurationError
from cutline.sources.exact_cast import cast_value
from cutline.sources.layouts import Layout
from cutline.sources.rows import SHAPE, UNKNOWN, UNREADABLE, moment
from cutline.sources.sql_text import literal, quoted
from cutline.sources.used_tables import UsedTable, missing_columns
from cutline.translator.contract import Older
from cutline.translator.shapes import EVERY_OTHER

KEYS = "_cutline_keys"
"""Beside a row's own columns: the names of the columns that it has; null for no row at all."""

_NAMED = 6
_LONGEST = 40


def with_shape(frame: DataFrame, table: UsedTable, position: str, *, left_out: bool) -> DataFrame:
    """The frame with SHAPE instead of KEYS; UNREADABLE tells what fits no shape.

    `position` is that of the snapshot, `left_out` whether a row may leave out what is null.
    """
    by = table.told_by
    time = None if by is None else cast_value(quoted(by), frame.schema[by].dataType, table.time_ddl)
    telling = Telling(table, KEYS, literal(position), time, left_out=left_out)
    unreadable = UNREADABLE if UNREADABLE in frame.columns else "CAST(NULL AS string)"
    told = frame.selectExpr("*", f"{telling.told} AS _told")
    defect = f"coalesce({unreadable}, _told.unknown)"
    kept = [quoted(c) for c in frame.columns if c not in (KEYS, UNREADABLE)]
    return told.selectExpr(*kept, f"_told.shape AS {SHAPE}", f"{defect} AS {UNREADABLE}")


def names_of(columns: Collection[str]) -> str:
    """SQL for KEYS where all rows have the same columns."""
    return _array(columns)


def refuse_no_shape(table: UsedTable, layouts: Sequence[Layout]) -> None:
    """ConfigurationError if no file has all columns of the contract, or of an older shape of it."""
    first = layouts[0]
    lacking = missing_columns(table, str(first.files[0]), first.columns)
    if not table.has_older:
        if lacking:
            raise ConfigurationError(lacking)
        return
    told = [misfit(table, layout.columns) for layout in layouts]
    if all(told):
        raise ConfigurationError(
            f"{first.files[0]}: table {table.source}.{table.name} fits none of the "
            f"{len(table.shapes)} shapes that contract {table.contract.__name__} knows, new (+) "
            f"and missing (-): {told[0]}",
            next_step="Declare the shape, or name in `ignores` the columns that do not matter.",
        )


def misfit(table: UsedTable, columns: Collection[str]) -> str:
    """What is new and missing in a file with these columns, as in the defect; empty if it fits."""
    found = [_difference(table, k, columns) for k in range(len(table.shapes))]
    return brief(min(found, key=len)) if all(found) else ""


def strangers(table: UsedTable, columns: Collection[str]) -> list[str]:
    """Those of the columns that no shape knows and nobody asked to pass over, sorted."""
    if EVERY_OTHER in table.contract.ignores():
        return []
    return sorted(set(columns) - set(table.read_columns) - _beside(table))


def brief(difference: list[str]) -> str:
    """The first few of the columns that are new (+) or missing (-), and how many more there are."""
    shown, more = difference[:_NAMED], len(difference) - _NAMED
    return ",".join([*shown, f"{more} more"] if more > 0 else shown)


class Telling:
    """SQL that tells the shape of an image from the names of its columns, its time, its place.

    `told` is a struct: `shape`, its number, null for an image of no shape or none at all; and then
    `unknown`, the defect, null where there is no image.
    """

    def __init__(
        self, table: UsedTable, keys: str, position: str, time: str | None, *, left_out: bool
    ) -> None:
        self._table, self._left_out = table, left_out
        self._row = (
            f"named_struct('keys', {keys}, 'time', {time or 'NULL'}, 'position', {position})"
        )
        self._ranges = {
            len(table.contract.older()) - i: _before(shape)
            for i, shape in enumerate(table.contract.older())
            if shape.ranged
        }
        self._free = [k for k in range(len(table.shapes)) if k not in self._ranges]
        self._timed = time is not None

    @property
    def told(self) -> str:
        # Each step is computed once, whatever the optimizer would make of columns in its place.
        offs = ", ".join(f"'off{k}', {self._off(k)}" for k in range(len(self._table.shapes)))
        defect = f"CASE WHEN k IS NULL THEN concat('{UNKNOWN}', {self._unknown()}) END"
        one = _let("k", self._shape(), f"named_struct('shape', k, 'unknown', {defect})")
        whole = _let("o", f"named_struct({offs})", one)
        return _let("r", self._row, f"CASE WHEN r.keys IS NOT NULL THEN {whole} END")

    def _shape(self) -> str:
        untold = ["WHEN r.time IS NULL THEN NULL"] if self._timed else []
        in_range = [
            f"WHEN {within} THEN CASE WHEN size(o.off{k}) = 0 THEN {k} END"
            for k, within in self._ranges.items()
        ]
        free = [f"WHEN size(o.off{k}) = 0 THEN {k}" for k in self._free]
        return f"CASE {' '.join([*untold, *in_range, *free])} END"

    def _unknown(self) -> str:
        """What is new and missing, compared with the range's shape or else with the nearest."""
        by = literal(str(self._table.told_by))
        untold = [f"WHEN r.time IS NULL THEN array({by})"] if self._timed else []
        in_range = [f"WHEN {within} THEN o.off{k}" for k, within in self._ranges.items()]
        free = ", ".join(
            f"named_struct('n', size(o.off{k}), 'k', {k}, 'off', o.off{k})" for k in self._free
        )
        cases = [*untold, *in_range, f"WHEN true THEN array_min(array({free})).off"]
        more = f"concat(size(off) - {_NAMED}, ' more')"
        named = f"concat_ws(',', slice(off, 1, {_NAMED}), {more})"
        told = f"CASE WHEN size(off) > {_NAMED} THEN {named} ELSE concat_ws(',', off) END"
        return _let("off", f"CASE {' '.join(cases)} END", told)

    def _off(self, k: int) -> str:
        """SQL for an array of what is new and what is missing, compared with one shape."""
        table = self._table
        own, beside = set(table.shapes[k]), _beside(table)
        if EVERY_OTHER in table.contract.ignores():
            strange = f"array_intersect(r.keys, {_array(set(table.read_columns) - own)})"
        else:
            strange = f"array_except(r.keys, {_array(own | beside)})"
        new = f"transform({strange}, c -> concat('+', left(c, {_LONGEST})))"
        by_range = k in self._ranges or (k == 0 and len(self._free) == 1)
        if by_range and self._left_out:
            return f"sort_array({new})"
        gone = f"transform(array_except({_array(own)}, r.keys), c -> concat('-', c))"
        return f"sort_array(concat({new}, {gone}))"


def _let(name: str, value: str, result: str) -> str:
    """SQL for a result that speaks of a value by name."""
    return f"get(transform(array({value}), {name} -> {result}), 0)"


def _before(shape: Older) -> str:
    if shape.until_time is not None:
        return f"CAST(r.time AS timestamp) < {moment(shape.until_time)}"
    return f"r.position < '{shape.position}'"


def _difference(table: UsedTable, k: int, columns: Collection[str]) -> list[str]:
    own, there = set(table.shapes[k]), set(columns)
    if EVERY_OTHER in table.contract.ignores():
        new = there & set(table.read_columns) - own
    else:
        new = there - own - _beside(table)
    return sorted([f"+{c[:_LONGEST]}" for c in new] + [f"-{c}" for c in own - there])


def _beside(table: UsedTable) -> set[str]:
    """The columns that rows of any shape may have besides: ignored ones, the predicate's."""
    words = re.findall(r"`([^`]+)`|\"([^\"]+)\"|(\w+)", table.section.region or "")
    spoken = {word for found in words for word in found if word}
    return (spoken | table.contract.ignores()) - set(table.read_columns)


def _array(names: Collection[str]) -> str:
    if not names:
        return "CAST(array() AS array<string>)"
    return f"array({', '.join(literal(n) for n in sorted(names))})"
