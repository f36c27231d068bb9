"""A few rows of a table, as they are shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cutline import display
from cutline.secrets import document_as_written


@dataclass(frozen=True)
class ShownRows:
    """Rows under the names of their columns; personal values are masked."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]

    @document_as_written
    def as_json(self) -> list[dict[str, Any]]:
        """The document of `cutline show --json`."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]

    def _repr_html_(self) -> str:
        return display.table(self.columns, self.rows)
