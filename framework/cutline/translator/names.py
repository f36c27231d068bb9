"""Names that the language and the engine share."""

from __future__ import annotations

from collections.abc import Sequence

SELF = "row"
"""The part of a translator that has only one: rules see its columns as `row.status`."""


def as_names(given: str | Sequence[str]) -> tuple[str, ...]:
    """Names that were given as one or as several."""
    return (given,) if isinstance(given, str) else tuple(given)
