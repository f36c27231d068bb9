"""Change files of CDC connectors, read into rows of changes tables without Python per row."""

from cutline.sources.changes.change_file import ChangeFile, open_change_file
from cutline.sources.changes.change_input import ChangeInput
from cutline.sources.changes.deliveries import OUT_OF_ORDER, may_redeliver, resolve_redeliveries
from cutline.sources.changes.renames import DROPPED
from cutline.sources.changes.table_changes import KEY_CHANGE_PART, slice_rows, table_rows
from cutline.sources.changes.typed_changes import log_changes

__all__ = [
    "DROPPED",
    "KEY_CHANGE_PART",
    "OUT_OF_ORDER",
    "ChangeFile",
    "ChangeInput",
    "log_changes",
    "may_redeliver",
    "open_change_file",
    "resolve_redeliveries",
    "slice_rows",
    "table_rows",
]
