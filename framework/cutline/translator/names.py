"""Names that the language and the engine share."""

from __future__ import annotations

from collections.abc import Sequence

SELF = "row"
"""The name of the part where a translator has only one: rules see its columns as `row.status`."""


def as_names(names: str | Sequence[str]) -> tuple[str, ...]:
    """One name, or several, as a tuple."""
    return (names,) if isinstance(names, str) else tuple(names)


def class_name(declared: object) -> str:
    """The name of a class that a validator knows by a protocol, which has no `__name__`."""
    return str(getattr(declared, "__name__", declared))
