"""What is open of a database for one run: its snapshot, whatever database it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, Self, runtime_checkable

from pyspark.sql import SparkSession

from cutline.sources.rows import RawRows
from cutline.sources.used_tables import UsedTable


@runtime_checkable
class OpenedDatabase(Protocol):
    """A source with its open snapshot, which ends when its tables are read."""

    @property
    def position(self) -> str:
        """What identifies its rows, as a run's position."""
        ...

    def keeping(self, chunks: str) -> Self:
        """The same snapshot, with a folder beside the slice's runs for what may outlive a read."""
        ...

    def discard(self) -> None:
        """Removes what `keeping` has left; nothing happens without it."""
        ...

    def raw_rows(
        self,
        spark: SparkSession,
        tables: tuple[UsedTable, ...],
        region: str,
        scratch: str,
        label: Callable[[UsedTable], str],
    ) -> dict[str, RawRows]:
        """The slice's rows of each table, and the end of the snapshot.

        `scratch` must stay until they were written. `label` says where a table is, for messages.
        """
        ...

    def close(self) -> None:
        """Ends the snapshot and its locks; nothing happens if they have ended."""
        ...
