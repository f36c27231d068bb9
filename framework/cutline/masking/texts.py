"""JSON text with its personal values masked, in whatever shape it comes."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

from cutline.masking.hidden import DecodedRow, Hidden, NestedJson, hide_personal
from cutline.masking.parsed_json import Members, WrittenNumber, parse_json

MASK = "•••"


def masked_json(text: str, personal: Collection[str], *, lines: bool) -> str:
    """A JSON text with each personal value masked at any depth, as by `hide_personal`.

    With `lines` it is indented for people, and the mask stands there bare; else it is JSON still.
    A text that is no JSON cannot be masked by key: where any name is personal, it is withheld and
    the text says so. `personal` are names in lower case (casefold).
    """
    try:
        value = hide_personal(parse_json(text), personal)
        return _indented(value, "") if lines else _compact(value)
    except (ValueError, RecursionError):
        if personal:
            return f"withheld: {len(text):,} characters that are no JSON may be personal"
        return text


def _compact(value: Any) -> str:
    """The value as JSON on one line."""
    match value:
        case Members():
            return "{" + ",".join(f"{_text(k)}:{_compact(v)}" for k, v in value) + "}"
        case list():
            return "[" + ",".join(map(_compact, value)) + "]"
        case NestedJson(value=nested):
            return _text(_compact(nested))
        case _:
            return _scalar(value, _text(MASK))


def _indented(value: Any, indent: str) -> str:
    """The value with one member a line, for people."""
    inner = indent + "  "
    match value:
        case Members() if value:
            return _block(
                "{", [f"{_text(k)}: {_indented(v, inner)}" for k, v in value], "}", indent
            )
        case list() if value:
            return _block("[", [_indented(v, inner) for v in value], "]", indent)
        case Members() | list():
            return "{}" if isinstance(value, Members) else "[]"
        case NestedJson(value=nested):
            return _indented(nested, indent)
        case _:
            return _scalar(value, MASK)


def _block(opening: str, members: list[str], closing: str, indent: str) -> str:
    inner = ",\n".join(f"{indent}  {member}" for member in members)
    return f"{opening}\n{inner}\n{indent}{closing}"


def _scalar(value: Any, mask: str) -> str:
    match value:
        case Hidden():
            return mask
        case DecodedRow():
            return _text(f"{value}{MASK}")
        case WrittenNumber():
            return str(value)
        case _:
            return _text(value)


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
