"""A contract as a profile implies it: every column, typed, and what was seen of it."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, replace

from cutline.profile import ColumnProfile, TableProfile
from cutline.scaffold.names import attribute
from cutline.scaffold.source_text import call, sentence, text
from cutline.sources.changes.modes import Modes
from cutline.sources.changes.values import DOUBLE_DIGITS
from cutline.translator.contract import SourceContract

_ANNOTATIONS = {
    "string": "T.StringType",
    "boolean": "T.BooleanType",
    "tinyint": "T.ByteType",
    "smallint": "T.ShortType",
    "int": "T.IntegerType",
    "bigint": "T.LongType",
    "float": "T.FloatType",
    "double": "T.DoubleType",
    "date": "T.DateType",
    "timestamp": "T.TimestampType",
    # Contracts know moments only. One without a zone is read as UTC, which its doc says.
    "timestamp_ntz": "T.TimestampType",
    "binary": "T.BinaryType",
}
_SAMPLES = {
    "T.StringType": '"a"',
    "T.BooleanType": "True",
    "T.FloatType": "1.0",
    "T.DoubleType": "1.0",
    "T.DateType": '"2026-01-01"',
    "T.TimestampType": '"2026-01-01T00:00:00Z"',
    "T.BinaryType": '"a"',
}
_DECIMAL = re.compile(r"decimal\((\d+),(\d+)\)")
_MOST_CHOICES = 20
_LONGEST_CHOICE = 40


@dataclass(frozen=True)
class Field:
    """One column of the contract: its source text, and a literal for tests where null will not do.

    `sample` is null for a column that may be null. It is made up: no value of the table is in it,
    unless the contract itself names it.
    """

    name: str
    annotation: str
    source: str
    sample: str | None

    @property
    def has_size(self) -> bool:
        """Whether the annotation needs `Annotated`."""
        return self.annotation.startswith("Annotated[")


def fields(
    profile: TableProfile,
    key: Collection[str],
    status: str | None,
    personal: Collection[str],
    modes: Modes | None = None,
) -> list[Field]:
    """The columns that a contract can declare, in the table's order.

    `modes` are those in which a connector writes the table's changes; null where it has none.
    """
    taken = {name for name in dir(SourceContract) if not name.startswith("__")} | {"Config"}
    found = []
    for number, column in enumerate(profile.columns, 1):
        if annotated(column.type) is None:
            continue
        name = attribute(column.name, f"column_{number}", taken)
        taken.add(name)
        found.append(_field(_fitting(column, modes), name, key, status, personal))
    return found


def _fitting(column: ColumnProfile, modes: Modes | None) -> ColumnProfile:
    """The column in a type that its changes can give as well.

    A connector that writes decimals as doubles keeps fifteen digits. Profiles leave decimals room
    for more than was seen; what was seen may fit all the same, and else a double is all there is.
    """
    size = _DECIMAL.fullmatch(column.type)
    if size is None or modes is None or modes.decimals != "double":
        return column
    if int(size[1]) <= DOUBLE_DIGITS:
        return column
    scale = int(size[2])
    before_the_point = max(len(end.lstrip("-").partition(".")[0]) for end in _ends(column))
    fits = before_the_point + scale <= DOUBLE_DIGITS
    return replace(column, type=f"decimal({DOUBLE_DIGITS},{scale})" if fits else "double")


def _ends(column: ColumnProfile) -> list[str]:
    """The least and the greatest value; of one whose values are hidden, a text of its length."""
    known = [end for end in (column.low, column.high) if end is not None]
    return known or ["9" * (column.longest or DOUBLE_DIGITS + 1)]


def left_out(profile: TableProfile) -> list[ColumnProfile]:
    """The columns of types that a contract cannot declare by name, such as nested ones."""
    return [c for c in profile.columns if annotated(c.type) is None]


def annotated(ddl: str) -> str | None:
    """The annotation of a Spark type; null for one that has none."""
    size = _DECIMAL.fullmatch(ddl)
    if size:
        return f"Annotated[T.DecimalType, {size[1]}, {size[2]}]"
    return _ANNOTATIONS.get(ddl)


def _field(
    column: ColumnProfile,
    name: str,
    key: Collection[str],
    status: str | None,
    personal: Collection[str],
) -> Field:
    annotation = annotated(column.type)
    assert annotation is not None
    required = column.name in key or not (column.nulls or column.unreadable)
    choices = _choices(column) if column.name not in (*key, status) else []
    arguments: list[str | tuple[str, list[str]]] = [f"doc={text(_doc(column))}"]
    arguments += [f"alias={text(column.name)}"] if name != column.name else []
    arguments += ["nullable=False"] if required else []
    arguments += ["personal=True"] if column.name in personal else []
    arguments += ["classifies=True"] if column.name == status else []
    arguments += [("isin=", choices)] if choices else []
    source = call(f"{name}: {annotation} = column", arguments, 4)
    sample = choices[0] if choices else _SAMPLES.get(annotation, "1")
    return Field(column.name, annotation, source, sample if required else None)


def _choices(column: ColumnProfile) -> list[str]:
    """The values of an enumeration as literals: a text of which all few values come again."""
    few = column.whole and column.distinct <= _MOST_CHOICES
    often = 2 * column.distinct <= sum(v.rows for v in column.top)
    if column.type != "string" or not (few and often) or column.unreadable:
        return []
    if (column.longest or 0) > _LONGEST_CHOICE:
        return []
    return [text(value) for value in sorted(v.value for v in column.top)]


def _doc(column: ColumnProfile) -> str:
    about = "" if column.distinct_exact else "some "
    told = f"to be described; {about}{column.distinct:,} distinct"
    if column.nulls:
        told += f", {column.nulls:,} null"
    if column.type == "timestamp_ntz":
        told += "; no zone: read as UTC"
    return sentence(told)
