"""Two tables as people name them, read as a comparison reads them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from cutline_reconciliation.compare.tables import (
    AlignedSide,
    Csv,
    ReadOptions,
    align_types,
    fetch,
    place,
)


@dataclass
class Desk:
    """A folder to write tables into, and to read two of them side by side."""

    spark: SparkSession
    folder: Path

    def write(self, name: str, content: str | bytes) -> str:
        """A file; its path."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return str(path)

    def sides(
        self,
        left: str,
        right: str,
        key: Sequence[str] = ("id",),
        queries: tuple[str | None, str | None] = (None, None),
        csv: Csv | None = None,
        **wishes: Any,
    ) -> tuple[AlignedSide, AlignedSide]:
        """Both tables, met."""
        scratch = self.folder / "scratch"
        number = len(list(scratch.glob("*"))) if scratch.exists() else 0
        base = scratch / str(number)
        base.mkdir(parents=True)
        fetched = [
            fetch(place(side, text, query, csv), str(base / side))
            for side, text, query in zip(("left", "right"), (left, right), queries, strict=True)
        ]
        wishes = {"pairs": {}} | wishes
        return align_types(
            self.spark, *fetched, ReadOptions(key=key, **wishes), str(base / "typed")
        )


def typed(side: AlignedSide) -> dict[str, str]:
    """The columns and their types as they are compared."""
    return dict(side.frame.dtypes)


def rows(side: AlignedSide) -> list[tuple[Any, ...]]:
    """The rows in the order of their texts."""
    return sorted((tuple(row) for row in side.frame.collect()), key=repr)
