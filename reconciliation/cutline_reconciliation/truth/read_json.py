"""A reader of JSON lines by the standard library."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cutline_reconciliation.truth.lines import MALFORMED, Malformed, Row


def json_rows(file: str) -> Iterator[Row | Malformed]:
    """One row per line: numbers as written, `true` and `false`, objects and lists as JSON.

    Malformed is a line that is not UTF-8 or not one JSON object. Empty lines are skipped.
    """
    with Path(file).open("rb") as lines:
        for line in lines:
            if line.strip():
                yield _row(line)


def _row(line: bytes) -> Row | Malformed:
    try:
        # Numbers stay the text they are written as: nothing passes through a float.
        document = json.loads(
            line.decode("utf-8-sig"),
            parse_float=_Number,
            parse_int=_Number,
            parse_constant=_no_number,
        )
        return (
            {c: _text(v) for c, v in document.items()} if isinstance(document, dict) else MALFORMED
        )
    except (ValueError, RecursionError):
        return MALFORMED


def _no_number(text: str) -> None:
    raise ValueError(f"{text} is not JSON")


class _Number(str):
    """A number as it is written."""

    __slots__ = ()


def _text(value: Any) -> str | None:
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    text = str(value) if isinstance(value, str) else _json(value)
    text.encode()  # half a surrogate pair is no character
    return text


def _json(value: Any) -> str:
    if isinstance(value, _Number):
        return str(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(k)}:{_json(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(_json(v) for v in value) + "]"
    return json.dumps(value)
