"""The results of readers of files: rows of texts, and markers of malformed lines."""

from __future__ import annotations

from collections.abc import Mapping

Row = Mapping[str, str | None]


class Malformed:
    """A line that cannot be read."""


MALFORMED = Malformed()
