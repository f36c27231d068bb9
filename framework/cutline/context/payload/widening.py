"""Whether all that an older schema of a payload allows is allowed by a newer one as well."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

Schema = Mapping[str, Any]

_WORDS = frozenset({"$schema", "$id", "title", "description", "x-personal"})
"""What explains a schema, and allows or forbids nothing."""
_LEAST = ("minimum", "exclusiveMinimum", "minLength", "minItems")
_MOST = ("maximum", "exclusiveMaximum", "maxLength", "maxItems")
_DECIMAL = re.compile(
    r"\^-\?(?:0|\(\?:0\|\[1-9\]\[0-9\]\{0,(?P<more>\d+)\}\))(?P<places>(?:\\\.\[0-9\]\{\d+\})?)\$"
)
"""The pattern of a decimal, as `json_schema` writes it."""


def narrowed(wider: Schema, narrower: Schema, field: str = "") -> str | None:
    """Why not all that `narrower` allows is allowed by `wider`; null if all of it is.

    Both are documents of `json_schema`. A field more or less is a reason, as every field must be
    there and no other may be; so are another unit, format or identity.
    """
    place = field or "the payload"
    for keyword in sorted({*wider, *narrower} - _WORDS):
        rule = _RULES.get(keyword, _equal)
        if reason := rule(keyword, wider, narrower, field):
            return f"{place}: {reason}" if rule is not _fields and rule is not _items else reason
    return None


def _fields(keyword: str, wider: Schema, narrower: Schema, field: str) -> str | None:
    newer, older = wider.get(keyword, {}), narrower.get(keyword, {})
    for name in sorted({*newer, *older}):
        path = f"{field}.{name}" if field else name
        if name not in older:
            return f"{path}: the field is new"
        if name not in newer:
            return f"{path}: the field is no longer there"
        if reason := narrowed(newer[name], older[name], path):
            return reason
    return None


def _items(keyword: str, wider: Schema, narrower: Schema, field: str) -> str | None:
    return narrowed(wider.get(keyword, {}), narrower.get(keyword, {}), f"{field}[]")


def _types(keyword: str, wider: Schema, narrower: Schema, field: str) -> str | None:
    del field
    if _names(narrower.get(keyword)) <= _names(wider.get(keyword)):
        return None
    return _change(keyword, wider, narrower)


def _names(types: Any) -> set[str]:
    return {types} if isinstance(types, str) else set(types or ())


def _choices(keyword: str, wider: Schema, narrower: Schema, field: str) -> str | None:
    del field
    if keyword not in wider:
        return None
    allowed = wider[keyword]
    if keyword in narrower and all(value in allowed for value in narrower[keyword]):
        return None
    return _change(keyword, wider, narrower)


def _least(keyword: str, wider: Schema, narrower: Schema, field: str) -> str | None:
    del field
    if keyword not in wider or (keyword in narrower and narrower[keyword] >= wider[keyword]):
        return None
    return _change(keyword, wider, narrower)


def _most(keyword: str, wider: Schema, narrower: Schema, field: str) -> str | None:
    del field
    if keyword not in wider or (keyword in narrower and narrower[keyword] <= wider[keyword]):
        return None
    return _change(keyword, wider, narrower)


def _multiple(keyword: str, wider: Schema, narrower: Schema, field: str) -> str | None:
    del field
    if keyword not in wider or (keyword in narrower and narrower[keyword] % wider[keyword] == 0):
        return None
    return _change(keyword, wider, narrower)


def _pattern(keyword: str, wider: Schema, narrower: Schema, field: str) -> str | None:
    del field
    newer, older = wider.get(keyword), narrower.get(keyword)
    if newer in (None, older) or (older is not None and _more_digits(str(newer), str(older))):
        return None
    return _change(keyword, wider, narrower)


def _more_digits(newer: str, older: str) -> bool:
    """Whether both are decimals with as many places, and the newer has as many digits or more."""
    new, old = _DECIMAL.fullmatch(newer), _DECIMAL.fullmatch(older)
    if new is None or old is None or new["places"] != old["places"]:
        return False
    return int(new["more"] or -1) >= int(old["more"] or -1)


def _equal(keyword: str, wider: Schema, narrower: Schema, field: str) -> str | None:
    del field
    if wider.get(keyword) == narrower.get(keyword):
        return None
    return _change(keyword, wider, narrower)


def _change(keyword: str, wider: Schema, narrower: Schema) -> str:
    return f"{keyword} was {_shown(narrower, keyword)}, and would be {_shown(wider, keyword)}"


def _shown(schema: Schema, keyword: str) -> str:
    return repr(schema[keyword]) if keyword in schema else "not declared"


_RULES: dict[str, Callable[[str, Schema, Schema, str], str | None]] = {
    "properties": _fields,
    # It names the properties, all of them, which are compared.
    "required": lambda *_: None,
    "items": _items,
    "type": _types,
    "enum": _choices,
    "pattern": _pattern,
    "multipleOf": _multiple,
    **dict.fromkeys(_LEAST, _least),
    **dict.fromkeys(_MOST, _most),
}
