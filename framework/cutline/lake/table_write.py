"""What a write did, and the manifest that says what is in a table's folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cutline.lake.deltas import OpenDelta
from cutline.lake.manifest import write_manifest
from cutline.lake.written import TableWritten
from cutline.tables.contract import Table

if TYPE_CHECKING:
    from cutline.lake.sums import RowSums

BESIDE = "beside"
"""In a manifest, the columns that only the lake itself knows."""


@dataclass(frozen=True)
class TableWrite:
    """What a write did: the table, and the counts that were observed in the same pass.

    Of a delta the table is the whole one, while `counts` are those of the rows that are new; the
    rows of the base that they replace are counted by `gone_counts`, and are `gone_rows`.
    """

    table: TableWritten
    counts: Mapping[str, int] = field(default_factory=dict)
    new_rows: int = 0
    gone_rows: int = 0
    gone_counts: Mapping[str, int] = field(default_factory=dict)


def with_manifest(
    folder: str,
    table: Table,
    new: RowSums,
    delta: OpenDelta | None,
    counts: Mapping[str, int],
    beside: Sequence[str] = (),
) -> TableWrite:
    """What was written to a folder, once its manifest is there."""
    sums, details = (
        (new, new.as_json()) if delta is None else (delta.whole(new), delta.details(new))
    )
    if beside:
        details |= {BESIDE: list(beside)}
    written = TableWritten(table.name, sums.rows, sums.digest, write_manifest(folder, details))
    if delta is None:
        return TableWrite(written, counts, new.rows)
    return TableWrite(written, counts, new.rows, delta.gone_rows.rows, delta.counts)
