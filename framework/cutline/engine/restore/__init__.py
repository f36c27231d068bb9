"""Restoring and classifying: the changes of a table, whole, each with the end it has by itself.

A source may leave out the columns that did not change, the image before, the row's old key, or (for
a row that is read again) its position. What is left out is taken from the row's earlier changes, in
the order of positions; what they do not say either is marked as unknown.
"""

from cutline.engine.restore.checks import column_checks
from cutline.engine.restore.classify import SHOWN_BY_SNAPSHOT, classify_changes, with_sides
from cutline.engine.restore.frames import (
    ARRIVED_AT_SUBJECT,
    EXISTED_BEFORE,
    LEFT_SUBJECT,
    REREAD,
    RESTORE_END,
    ROW_CHECKS,
    ROW_END,
    ROW_GROUP,
    SIDE,
    SNAPSHOT_SIDE,
    SUBJECT,
    snapshot_rows,
)
from cutline.engine.restore.key_changes import KeyRenames, trace_key_changes
from cutline.engine.restore.options import ChangeFeatures
from cutline.engine.restore.restore import (
    READ_AGAIN_RULE,
    RestoreOptions,
    accept_whole_changes,
    is_live,
    key_names_subject,
    restore_changes,
    row_without_key,
)

__all__ = [
    "ARRIVED_AT_SUBJECT",
    "EXISTED_BEFORE",
    "LEFT_SUBJECT",
    "READ_AGAIN_RULE",
    "REREAD",
    "RESTORE_END",
    "ROW_CHECKS",
    "ROW_END",
    "ROW_GROUP",
    "SHOWN_BY_SNAPSHOT",
    "SIDE",
    "SNAPSHOT_SIDE",
    "SUBJECT",
    "ChangeFeatures",
    "KeyRenames",
    "RestoreOptions",
    "accept_whole_changes",
    "classify_changes",
    "column_checks",
    "is_live",
    "key_names_subject",
    "restore_changes",
    "row_without_key",
    "snapshot_rows",
    "trace_key_changes",
    "with_sides",
]
