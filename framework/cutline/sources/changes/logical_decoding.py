"""SQL for the output plugins of PostgreSQL's logical decoding.

They write whole transactions in the order of their commits. A row has its own LSN, which is ordered
within its transaction only; the record that ends the transaction has the commit's LSN.
"""

from __future__ import annotations

from cutline.sources.changes.position_sql import ZERO, position

_SLASHED = r"^[0-9A-Fa-f]{1,8}/[0-9A-Fa-f]{1,8}$"


def lsn(text: str) -> str:
    """SQL for the decimal digits of an LSN such as `0/16B3748`; null for anything else."""
    digits = f"concat(split_part({text}, '/', 1), lpad(split_part({text}, '/', 2), 8, '0'))"
    return f"CASE WHEN {text} RLIKE '{_SLASHED}' THEN conv({digits}, 16, 10) END"


def place_in_commit(end: str) -> str:
    """SQL for a place within the commit that ends at an LSN, where the next one begins.

    A commit's record begins at or after a boundary of records exactly if its last byte does, so
    this place compares with a consistent point as the commit's own LSN would.
    """
    return f"CAST(CAST({end} AS decimal(20, 0)) - 1 AS string)"


def row_position(row_lsn: str) -> str:
    """SQL for the position of a row whose commit is in the record that ends its transaction.

    The record's place among all lines stands for the commit until then. Rows that one record of
    PostgreSQL's log inserts share an LSN; they have different keys.
    """
    return position("CAST(place AS string)", row_lsn, ZERO)
