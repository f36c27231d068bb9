"""Names that the language and the engine share."""

from __future__ import annotations

SELF = "row"
"""The part of a translator that has only one: rules see its columns as `row.status`."""
