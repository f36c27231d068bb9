"""Cut lines: which changes are history, as predicates on columns, and what each way assumes."""

from cutline.cut.commit_timestamp import CommitTimestamp
from cutline.cut.declared import policy_of
from cutline.cut.exported_snapshot import ExportedSnapshot
from cutline.cut.lines import (
    CutLines,
    history_until,
    lines_of,
    live_until,
    snapshot_line,
    snapshot_position,
)
from cutline.cut.obligation import ASSUMED, HELD, OBLIGATIONS, PROVEN, VIOLATED, Obligation
from cutline.cut.policy import CutPolicy, CutWords
from cutline.cut.side import AFTER, BEFORE, OVERLAP
from cutline.cut.transaction_visibility import TransactionVisibility

__all__ = [
    "AFTER",
    "ASSUMED",
    "BEFORE",
    "HELD",
    "OBLIGATIONS",
    "OVERLAP",
    "PROVEN",
    "VIOLATED",
    "CommitTimestamp",
    "CutLines",
    "CutPolicy",
    "CutWords",
    "ExportedSnapshot",
    "Obligation",
    "TransactionVisibility",
    "history_until",
    "lines_of",
    "live_until",
    "policy_of",
    "snapshot_line",
    "snapshot_position",
]
