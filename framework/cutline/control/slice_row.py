"""The row of a slice: who decides for it, and which process works on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cutline.control.database import Database
from cutline.control.holder import Holder, holder_of
from cutline.control.models import SLICES
from cutline.control.records import Authority
from cutline.control.rows import read_row


@dataclass(frozen=True)
class SliceRow:
    """A slice, or what a lease calls so. `epoch` counts its holders."""

    context: str
    region: str
    authority: Authority
    epoch: int
    holder: Holder | None


def slice_row(database: Database, row: Any) -> SliceRow:
    """The row as it stands, whether its holder is gone or not. Raises DamagedRow."""
    holder = holder_of(database, SLICES, row)
    return read_row(database, SLICES, row, SliceRow, holder=holder)
