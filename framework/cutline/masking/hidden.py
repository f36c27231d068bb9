"""Which values of a JSON text are personal: by the keys of objects, and as change formats have it.

The records of some formats have a value elsewhere than under its column's name:

| format                       | where a value stands                                       |
|------------------------------|------------------------------------------------------------|
| wal2json 2                   | as `value` in an object with its `name` and `type`         |
| wal2json 1, keys of Maxwell  | in a list, at the place that its name has in another list  |
| DMS                          | also under its name behind a prefix, for the value before  |
| MongoDB                      | under a path whose steps are names, `contact.mail`         |
| test_decoding                | within a text, `table public.people: INSERT: mail[text]:…` |
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any, Final

from cutline.masking.parsed_json import Members, parse_json

_NAMES_OF_VALUES = {
    "columnvalues": "columnnames",
    "keyvalues": "keynames",
    "primary_key": "primary_key_columns",
}
"""The list of names by the list of values, beside each other in an object."""

_DECODED_ROW = re.compile(r"table .+?: (?:INSERT|UPDATE|DELETE): ")


class Hidden:
    """Stands for a personal value."""


HIDDEN: Final = Hidden()


class NestedJson:
    """JSON within a text, as the payload of a record with its metadata is."""

    def __init__(self, value: Any) -> None:
        self.value = value


class DecodedRow(str):
    """The beginning of a row that test_decoding wrote, up to its values, which are hidden."""


def hide_personal(value: Any, personal: Collection[str]) -> Any:
    """A value of `parse_json` with HIDDEN for each personal one that is not null, at any depth.

    `personal` are names in lower case (casefold). A text that holds an object or an array becomes
    NestedJson, a row of test_decoding a DecodedRow, where anything is personal.
    """
    match value:
        case Members():
            return _hide_members(value, personal)
        case list():
            return [hide_personal(item, personal) for item in value]
        case str() if type(value) is str and value.lstrip().startswith(("{", "[")):
            try:
                return NestedJson(hide_personal(parse_json(value), personal))
            except ValueError:
                return HIDDEN if personal else value
        case str() if personal and (row := _DECODED_ROW.match(value)):
            return DecodedRow(row[0])
        case _:
            return value


def _hide_members(members: Members, personal: Collection[str]) -> Members:
    values = {key.casefold(): value for key, value in members}
    column = values.get("name")
    describes_column = {"type", "value"} <= values.keys() and isinstance(column, str)
    if describes_column and _is_personal(str(column), personal, ()):
        return Members((k, HIDDEN if k == "value" and v is not None else v) for k, v in members)
    prefixes = _prefixes(values, personal)

    def hide(key: str, value: Any) -> Any:
        names = values.get(_NAMES_OF_VALUES[key]) if key in _NAMES_OF_VALUES else None
        if isinstance(names, list):
            return _hide_places(value, names, personal)
        return _hide_if(_is_personal(key, personal, prefixes), value, personal)

    return Members((key, hide(key, value)) for key, value in members)


def _hide_if(is_personal: bool, value: Any, personal: Collection[str]) -> Any:
    if is_personal and value is not None:
        return HIDDEN
    return hide_personal(value, personal)


def _hide_places(values: Any, names: list[Any], personal: Collection[str]) -> Any:
    """A list of values whose names stand in another; hidden as a whole where they do not match."""
    if not isinstance(values, list) or len(values) != len(names):
        return _hide_if(bool(personal), values, personal)
    return [
        _hide_if(_is_personal(str(name), personal, ()), value, personal)
        for name, value in zip(names, values, strict=True)
    ]


def _is_personal(key: str, personal: Collection[str], prefixes: Collection[str]) -> bool:
    """Whether a key, a step of the path that it is, or what is behind a prefix, is personal."""
    name = key.casefold()
    bare = (name.removeprefix(prefix) for prefix in prefixes)
    return name in personal or any(step in personal for n in (name, *bare) for step in n.split("."))


def _prefixes(names: Collection[str], personal: Collection[str]) -> set[str]:
    """What personal names stand behind in an object in which other names do so, too.

    If the same name alone stands there without it, it must not end in a letter: a surname is not a
    name behind a prefix.
    """
    return {
        name.removesuffix(column)
        for column in personal
        for name in names
        if name.endswith(column) and _is_prefix(name.removesuffix(column), column, names)
    }


def _is_prefix(prefix: str, column: str, names: Collection[str]) -> bool:
    bare = {name.removeprefix(prefix) for name in names if prefix and name.startswith(prefix)}
    return any(name in names and (name != column or not prefix[-1].isalpha()) for name in bare)
