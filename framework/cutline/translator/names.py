"""Names that the language and the engine share."""

from __future__ import annotations

from collections.abc import Sequence

SELF = "row"
"""The part of a translator that has only one: rules see its columns as `row.status`."""


def as_names(given: str | Sequence[str]) -> tuple[str, ...]:
    """Names that were given as one or as several."""
    return (given,) if isinstance(given, str) else tuple(given)


def class_name(declared: object) -> str:
    """The name of a class that a validator knows by a protocol, which cannot ask for it."""
    return str(getattr(declared, "__name__", declared))
