"""The columns of a contract that a profile implies: type, nulls, choices and a doc of figures."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, replace

from cutline.profile import ColumnProfile, TableProfile
from cutline.scaffold.names import attribute_name
from cutline.scaffold.source_text import call, printable_text, text_literal
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
class ContractColumn:
    """One column of a contract: name, annotation, source text, and a literal for tests.

    `sample` is null for a nullable column. It is a made-up value, or a value that the contract
    itself has in `isin`: no other value of the table gets into a test.
    """

    name: str
    annotation: str
    source: str
    sample: str | None

    @property
    def has_size(self) -> bool:
        """Whether the annotation is `Annotated[…]`, with precision and scale."""
        return self.annotation.startswith("Annotated[")


def contract_columns(
    profile: TableProfile,
    key: Collection[str],
    status: str | None,
    personal: Collection[str],
    modes: Modes | None = None,
) -> list[ContractColumn]:
    """The columns that a contract can declare, in the table's order.

    `key` and `personal` are column names, `status` the name of the column that classifies rows;
    null where there is none. `modes` are those of the connector that writes the table's changes;
    null without one.
    """
    used_names = {name for name in dir(SourceContract) if not name.startswith("__")} | {"Config"}
    columns = []
    for number, column in enumerate(profile.columns, 1):
        if type_annotation(column.type) is None:
            continue
        name = attribute_name(column.name, f"column_{number}", used_names)
        used_names.add(name)
        columns.append(_contract_column(_as_in_changes(column, modes), name, key, status, personal))
    return columns


def _as_in_changes(column: ColumnProfile, modes: Modes | None) -> ColumnProfile:
    """The column in a type that holds its values both in snapshots and in changes.

    A connector that writes decimals as doubles keeps fifteen digits. A longer decimal is cut to
    fifteen digits where the profiled values fit into them, and is a double where they do not.
    """
    size = _DECIMAL.fullmatch(column.type)
    if size is None or modes is None or modes.decimals != "double":
        return column
    if int(size[1]) <= DOUBLE_DIGITS:
        return column
    scale = int(size[2])
    before_the_point = max(len(end.lstrip("-").partition(".")[0]) for end in _extremes(column))
    fits = before_the_point + scale <= DOUBLE_DIGITS
    return replace(column, type=f"decimal({DOUBLE_DIGITS},{scale})" if fits else "double")


def _extremes(column: ColumnProfile) -> list[str]:
    """The least and the greatest value as texts; where they are hidden, a text of their length."""
    extremes = [end for end in (column.low, column.high) if end is not None]
    return extremes or ["9" * (column.longest or DOUBLE_DIGITS + 1)]


def undeclared_columns(profile: TableProfile) -> list[ColumnProfile]:
    """The columns that a contract cannot declare, such as those of nested types."""
    return [c for c in profile.columns if type_annotation(c.type) is None]


def type_annotation(ddl: str) -> str | None:
    """The annotation of a Spark type, given as in DDL; null for a type that has none.

    >>> type_annotation("decimal(9,2)")
    'Annotated[T.DecimalType, 9, 2]'
    >>> type_annotation("bigint")
    'T.LongType'
    """
    size = _DECIMAL.fullmatch(ddl)
    if size:
        return f"Annotated[T.DecimalType, {size[1]}, {size[2]}]"
    return _ANNOTATIONS.get(ddl)


def _contract_column(
    column: ColumnProfile,
    name: str,
    key: Collection[str],
    status: str | None,
    personal: Collection[str],
) -> ContractColumn:
    annotation = type_annotation(column.type)
    assert annotation is not None
    required = column.name in key or not (column.nulls or column.unreadable)
    choices = _choices(column) if column.name not in (*key, status) else []
    arguments: list[str | tuple[str, list[str]]] = [f"doc={text_literal(_doc(column))}"]
    arguments += [f"alias={text_literal(column.name)}"] if name != column.name else []
    arguments += ["nullable=False"] if required else []
    arguments += ["personal=True"] if column.name in personal else []
    arguments += ["classifies=True"] if column.name == status else []
    arguments += [("isin=", choices)] if choices else []
    source = call(f"{name}: {annotation} = column", arguments, 4)
    sample = choices[0] if choices else _SAMPLES.get(annotation, "1")
    return ContractColumn(column.name, annotation, source, sample if required else None)


def _choices(column: ColumnProfile) -> list[str]:
    """The values of an enumeration as sorted literals; empty for a column that is none.

    An enumeration is a column of short texts with at most twenty values, all of them profiled, that
    occur twice or more on average.
    """
    has_few_values = column.whole and column.distinct <= _MOST_CHOICES
    is_repeated = 2 * column.distinct <= sum(v.rows for v in column.top)
    if column.type != "string" or not (has_few_values and is_repeated) or column.unreadable:
        return []
    if (column.longest or 0) > _LONGEST_CHOICE:
        return []
    return [text_literal(value) for value in sorted(v.value for v in column.top)]


def _doc(column: ColumnProfile) -> str:
    about = "" if column.distinct_exact else "some "
    doc = f"to be described; {about}{column.distinct:,} distinct"
    if column.nulls:
        doc += f", {column.nulls:,} null"
    if column.type == "timestamp_ntz":
        doc += "; no zone: read as UTC"
    return printable_text(doc)
