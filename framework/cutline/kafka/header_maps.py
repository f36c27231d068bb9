"""Headers of records as maps of Arrow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa


def header_maps(headers: Sequence[Mapping[str, str | bytes | None]], kind: pa.MapType) -> pa.Array:
    """One map of `kind` per mapping, with its members in their order.

    Where maps have texts, bytes are read as UTF-8, with a sign in place of what is none. Made of
    two flat columns, as Arrow takes many times as long over lists of pairs.
    """
    offsets, end = [0], 0
    for members in headers:
        end += len(members)
        offsets.append(end)
    names = pa.array([name for members in headers for name in members], kind.key_type)
    values = _values([v for members in headers for v in members.values()], kind.item_type)
    return pa.MapArray.from_arrays(pa.array(offsets, pa.int32()), names, values)


def _values(values: Sequence[str | bytes | None], kind: pa.DataType) -> pa.Array:
    try:
        return pa.array(values, kind)
    except pa.ArrowInvalid:
        # Arrow reads no text from bytes that are not UTF-8.
        texts = [v.decode(errors="replace") if isinstance(v, bytes) else v for v in values]
        return pa.array(texts, kind)
