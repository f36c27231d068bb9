"""Personal values within JSON text, in whatever shape it comes."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

MASK = "•••"


def masked_json(text: str, personal: frozenset[str], *, lines: bool) -> str:
    """A JSON text with the value of each personal key masked at any depth.

    With `lines` it is indented for people, and the mask stands there bare; else it is JSON still.
    A text that is no JSON cannot be masked by key: where any name is personal, it is withheld and
    the text says so. `personal` are names in lower case (casefold).
    """
    try:
        return _Writer(personal, lines).value(_parsed(text))
    except (ValueError, RecursionError):
        if personal:
            return f"withheld: {len(text):,} characters that are no JSON may be personal"
        return text


class _Raw(str):
    """A number as it was written: 1.10 stays 1.10."""


class _Pairs(tuple[tuple[str, Any], ...]):
    """An object as it was written, with repeated keys."""


def _parsed(text: str) -> Any:
    return json.loads(
        text, parse_float=_Raw, parse_int=_Raw, parse_constant=_Raw, object_pairs_hook=_Pairs
    )


@dataclass(frozen=True)
class _Writer:
    """Writes a parsed value again; `lines` one member a line for people, else as JSON."""

    personal: frozenset[str]
    lines: bool

    def value(self, value: Any, indent: str = "") -> str:
        inner = indent + "  "
        if isinstance(value, _Raw):
            return str(value)
        if isinstance(value, _Pairs):
            colon = ": " if self.lines else ":"
            members = [f"{_text(k)}{colon}{self._member(k, v, inner)}" for k, v in value]
            return self._bracketed("{", members, "}", indent)
        if isinstance(value, list):
            return self._bracketed("[", [self.value(v, inner) for v in value], "]", indent)
        return self._nested(value, indent) or _text(value)

    def _bracketed(self, opening: str, members: list[str], closing: str, indent: str) -> str:
        if not members or not self.lines:
            return opening + ",".join(members) + closing
        inner = ",\n".join(f"{indent}  {member}" for member in members)
        return f"{opening}\n{inner}\n{indent}{closing}"

    def _member(self, key: str, value: Any, indent: str) -> str:
        if key.casefold() in self.personal and value is not None:
            return self._mask()
        return self.value(value, indent)

    def _nested(self, value: Any, indent: str) -> str | None:
        """JSON kept as text within JSON, as a native event's value may be, masked as well."""
        if not isinstance(value, str) or not value.lstrip().startswith(("{", "[")):
            return None
        try:
            written = self.value(_parsed(value), indent)
        except ValueError:
            return self._mask() if self.personal else None
        return written if self.lines else _text(written)

    def _mask(self) -> str:
        return MASK if self.lines else _text(MASK)


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
