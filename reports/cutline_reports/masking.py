"""Personal data does not reach a report: columns that a contract marks as personal are masked."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from cutline.translator import Translation

MASK = "•••"


@dataclass(frozen=True)
class Masking:
    """What must be masked.

    `names` are the personal columns of every contract: a payload may have been composed of several
    tables, and a native event may repeat a column. `keys` are the key columns of each (source,
    table). `subjects` are the aggregates whose subject is made of personal columns.
    """

    names: frozenset[str]
    keys: Mapping[tuple[str, str], tuple[str, ...]]
    subjects: frozenset[str] = frozenset()

    def payload(self, text: str | None) -> str | None:
        """A JSON payload, indented, with the value of each personal key masked at any depth.

        A payload that is no JSON cannot be masked by key: where any column is personal, it is
        withheld and the text says so.
        """
        if text is None:
            return None
        try:
            return _pretty(_parsed(text), self.names, "")
        except (ValueError, RecursionError):
            if self.names:
                return f"withheld: {len(text):,} characters that are no JSON may be personal"
            return text

    def key(self, source: str | None, table: str | None, text: str | None) -> str | None:
        """A row's key, a canonical JSON array, with personal key columns masked."""
        columns = self.keys.get((source or "", table or ""), ())
        if text is None or not self._personal(columns):
            return text
        try:
            values = json.loads(text)
        except ValueError:
            return MASK
        if not isinstance(values, list) or len(values) != len(columns):
            return MASK
        shown = [MASK if self._is(c) else v for c, v in zip(columns, values, strict=True)]
        return json.dumps(shown, ensure_ascii=False, separators=(",", ":"))

    def subject(self, aggregate: str | None, text: str | None) -> str | None:
        """A subject, masked whole where it is made of personal data.

        Where the aggregate is not known, it may be any of them.
        """
        personal = aggregate in self.subjects if aggregate is not None else bool(self.subjects)
        return MASK if text is not None and personal else text

    def value(self, column: str | None, text: str | None) -> str | None:
        """The value of a state column, masked where a personal column has that name."""
        return MASK if text is not None and column and self._is(column) else text

    def _is(self, column: str) -> bool:
        return column.casefold() in self.names

    def _personal(self, columns: Iterable[str]) -> bool:
        return any(self._is(c) for c in columns)


def masking(translation: Translation) -> Masking:
    """What the contracts of a translation ask to be masked."""
    contracts = translation.contracts()
    personal = {
        name.casefold()
        for contract in contracts
        for name, column in contract.columns().items()
        if (column.metadata or {}).get("personal")
    }
    return Masking(
        names=frozenset(personal),
        keys={(c.source(), c.table()): c.key() for c in contracts},
        subjects=frozenset(
            translator.aggregate
            for translator in translation.translators
            for part in translator.parts.values()
            if personal & {column.casefold() for column in part.subject}
        ),
    )


class _Raw(str):
    """A number as it was written: 1.10 stays 1.10."""


class _Pairs(tuple[tuple[str, Any], ...]):
    """An object as it was written, with repeated keys."""


def _parsed(text: str) -> Any:
    return json.loads(
        text, parse_float=_Raw, parse_int=_Raw, parse_constant=_Raw, object_pairs_hook=_Pairs
    )


def _pretty(value: Any, personal: frozenset[str], indent: str) -> str:
    inner = indent + "  "
    if isinstance(value, _Raw):
        return str(value)
    if isinstance(value, _Pairs):
        if not value:
            return "{}"
        lines = (f"{inner}{_text(k)}: {_member(k, v, personal, inner)}" for k, v in value)
        return "{\n" + ",\n".join(lines) + f"\n{indent}}}"
    if isinstance(value, list):
        if not value:
            return "[]"
        return (
            "[\n" + ",\n".join(inner + _pretty(v, personal, inner) for v in value) + f"\n{indent}]"
        )
    return _nested(value, personal, indent) or _text(value)


def _nested(value: Any, personal: frozenset[str], indent: str) -> str | None:
    """JSON kept as text within JSON, as a native event's value may be, masked as well."""
    if not isinstance(value, str) or not value.lstrip().startswith(("{", "[")):
        return None
    try:
        return _pretty(_parsed(value), personal, indent)
    except ValueError:
        return MASK if personal else None


def _member(key: str, value: Any, personal: frozenset[str], indent: str) -> str:
    if key.casefold() in personal and value is not None:
        return MASK
    return _pretty(value, personal, indent)


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
