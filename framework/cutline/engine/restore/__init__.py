"""Rows restored: what a log leaves out of a change is found in the row's own history.

A source may tell only the columns that changed, no image before, another key than a moment ago, or
(re-reading a row) no place in its log. Each is settled per row, from its snapshot on, in the order
of positions; what stays unknown is said to be unknown.
"""

from cutline.engine.restore.arrival import with_positions_by_arrival
from cutline.engine.restore.checks import column_checks
from cutline.engine.restore.classify import SHOWN_BY_SNAPSHOT, classify_changes, with_sides
from cutline.engine.restore.existing_rows import EXISTED_BEFORE, with_existed_before
from cutline.engine.restore.key_changes import KeyRenames, trace_key_changes
from cutline.engine.restore.options import ChangeFeatures
from cutline.engine.restore.restore import (
    ARRIVED,
    LEFT,
    RESTORE_END,
    ROW_GROUP,
    SUBJECT,
    RestoreOptions,
    accept_snapshot_rows,
    accept_whole_changes,
    is_live,
    key_names_subject,
    restore_changes,
)
from cutline.engine.restore.row_history import REREAD

__all__ = [
    "ARRIVED",
    "EXISTED_BEFORE",
    "LEFT",
    "REREAD",
    "RESTORE_END",
    "ROW_GROUP",
    "SHOWN_BY_SNAPSHOT",
    "SUBJECT",
    "ChangeFeatures",
    "KeyRenames",
    "RestoreOptions",
    "accept_snapshot_rows",
    "accept_whole_changes",
    "classify_changes",
    "column_checks",
    "is_live",
    "key_names_subject",
    "restore_changes",
    "trace_key_changes",
    "with_existed_before",
    "with_positions_by_arrival",
    "with_sides",
]
