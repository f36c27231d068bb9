"""Columns with values of several kinds: beside each, a text that says of which kind a value is.

In the text beside it, a text is in quotes, and any other value is not: `"1"` is not 1. Rules that
compute and filter see the values themselves; what is compared is the text beside them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline_reconciliation.compare.columns.forms import Conversion
from cutline_reconciliation.compare.columns.names import quoted_column

_COLUMN, _KINDS = "cutline_marked_column", "cutline_marked_kinds"
_QUOTE = '"'


@dataclass(frozen=True)
class MarkedColumn:
    """The column of a frame that stands beside a column with values of several kinds."""

    name: str
    """Its name in the frame."""
    kinds: frozenset[str]
    """The kinds of the values, as `column_readings.ValueKind` has them."""


def beside(text: Column, i: int, column: str, kinds: Iterable[str]) -> Column:
    """The marked texts of `column`, as the column that stands beside it; `i` numbers them."""
    return text.alias(f"_cutline_marked{i}", metadata={_COLUMN: column, _KINDS: sorted(kinds)})


def marked_columns(frame: DataFrame) -> dict[str, MarkedColumn]:
    """The columns that stand beside others, by the name of the column beside them."""
    return {
        field.metadata[_COLUMN]: MarkedColumn(field.name, frozenset(field.metadata[_KINDS]))
        for field in frame.schema.fields
        if _COLUMN in field.metadata
    }


def own_columns(frame: DataFrame) -> list[str]:
    """The frame's columns but for those that stand beside others."""
    return [field.name for field in frame.schema.fields if _COLUMN not in field.metadata]


def compared_types(frame: DataFrame) -> dict[str, str]:
    """The type in which each of the frame's own columns is compared."""
    kinds, marked = dict(frame.dtypes), marked_columns(frame)
    return {n: kinds[marked[n].name if n in marked else n] for n in own_columns(frame)}


def in_marked_texts(frame: DataFrame, marked: Mapping[str, MarkedColumn]) -> DataFrame:
    """The frame's own columns, those in `marked` by the texts beside them."""
    return frame.select(
        *(quoted_column(marked[n].name if n in marked else n).alias(n) for n in own_columns(frame))
    )


def within_quotes(convert: Conversion) -> Conversion:
    """The conversion of the texts alone among marked texts, within their quotes."""

    def converted(marked: Column) -> Column:
        text = convert(plain_text(marked))
        return F.when(_is_text(marked), quoted_text(text)).otherwise(marked)

    return converted


def plain_text(marked: Column) -> Column:
    """A marked text without its quotes."""
    inner = marked.substr(F.lit(2), F.length(marked) - 2)
    return F.when(_is_text(marked), inner).otherwise(marked)


def quoted_text(text: Column) -> Column:
    """A text in quotes."""
    return F.concat(F.lit(_QUOTE), text, F.lit(_QUOTE))


def _is_text(marked: Column) -> Column:
    return marked.startswith(_QUOTE)
