"""What a reader of files yields: rows of texts, and marks for lines that are none."""

from __future__ import annotations

from collections.abc import Mapping

Row = Mapping[str, str | None]


class Malformed:
    """A line that cannot be read."""


MALFORMED = Malformed()
