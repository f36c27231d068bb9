"""Columns of text, made a whole column at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cutline_translators.estate.chance import Bools
from cutline_translators.estate.moments import Ints


def codes(prefix: str, numbers: Ints, width: int) -> pa.Array:
    """`SO-00000012` per number; longer numbers stay whole."""
    digits = pc.utf8_lpad(pa.array(numbers).cast(pa.string()), width, "0")
    return pc.binary_join_element_wise(prefix, digits, "-")


def words_at(choices: Sequence[str], index: Ints) -> pa.Array:
    """The word at each index; an index below 0 is null."""
    return pc.take(pa.array(choices, pa.string()), pa.array(index, mask=index < 0))


def blanked(values: pa.Array, where: Bools) -> pa.Array:
    """The values, null where `where` holds."""
    return pc.if_else(pa.array(where), pa.scalar(None, values.type), values)


def concat_text(*parts: pa.Array | str) -> pa.Array:
    """The concatenated texts of each row."""
    return pc.binary_join_element_wise(*parts, "")


def csv_lines(columns: Sequence[pa.Array]) -> pa.Array:
    """One CSV line per row; null is empty. The values hold nothing that needs quotes."""
    return pc.binary_join_element_wise(
        *(pc.fill_null(c, "") for c in columns), ",", null_handling="replace"
    )


def json_text(values: pa.Array) -> pa.Array:
    """Each text as JSON. The values hold nothing that needs an escape."""
    return pc.coalesce(concat_text('"', values, '"'), "null")


def json_number(values: pa.Array) -> pa.Array:
    """Each whole number as JSON."""
    return pc.coalesce(values.cast(pa.string()), "null")


def json_object(fields: Mapping[str, pa.Array | str]) -> pa.Array:
    """One JSON object per row, from fields that are JSON already."""
    parts: list[pa.Array | str] = []
    for i, (name, value) in enumerate(fields.items()):
        parts += [("," if i else "{") + f'"{name}":', value]
    return concat_text(*parts, "}")


def json_row(table: pa.Table) -> pa.Array:
    """One JSON object per row of a table of texts and whole numbers."""
    return json_object(
        {
            name: json_text(column) if pa.types.is_string(column.type) else json_number(column)
            for name, column in zip(
                table.column_names, (c.combine_chunks() for c in table.columns), strict=True
            )
        }
    )


def append_lines(path: Path, lines: pa.Array) -> None:
    """Append the lines to a file, which is created if it does not exist."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        for start in range(0, len(lines), _BLOCK):
            block = pc.binary_join_element_wise(lines.slice(start, _BLOCK), "", "\n")
            whole = pa.ListArray.from_arrays(pa.array([0, len(block)], pa.int32()), block)
            file.write(pc.binary_join(whole, "")[0].as_buffer())


_BLOCK = 200_000


def is_member(sorted_keys: Ints, values: Ints) -> Bools:
    """Whether each value is among the sorted keys."""
    if not len(sorted_keys):
        return np.zeros(len(values), dtype=np.bool_)
    at = np.minimum(np.searchsorted(sorted_keys, values), len(sorted_keys) - 1)
    hits: Bools = sorted_keys[at] == values
    return hits
