"""Change files of connectors as rows of changes tables, in columns only."""

from cutline.sources.changes.change_file import ChangeFile, opened_changes
from cutline.sources.changes.deliveries import OUT_OF_ORDER, may_repeat, settled
from cutline.sources.changes.renames import DROPPED
from cutline.sources.changes.scan import Input
from cutline.sources.changes.table_changes import PART, changes_of, of_slice
from cutline.sources.changes.typed_changes import changed_rows

__all__ = [
    "DROPPED",
    "OUT_OF_ORDER",
    "PART",
    "ChangeFile",
    "Input",
    "changed_rows",
    "changes_of",
    "may_repeat",
    "of_slice",
    "opened_changes",
    "settled",
]
