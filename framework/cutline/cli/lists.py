"""Options that take several values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator


def split(names: Iterable[str]) -> Iterator[str]:
    """The names of an option that takes several, comma by comma."""
    for text in names:
        yield from (name for name in (part.strip() for part in text.split(",")) if name)
