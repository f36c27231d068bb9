"""Change files of connectors as rows of changes tables, in columns only."""

from cutline.sources.changes.changed import changed_rows
from cutline.sources.changes.opened import ChangeFile, opened_changes
from cutline.sources.changes.renames import DROPPED
from cutline.sources.changes.sliced import PART, changes_of
from cutline.sources.changes.stops import Input

__all__ = [
    "DROPPED",
    "PART",
    "ChangeFile",
    "Input",
    "changed_rows",
    "changes_of",
    "opened_changes",
]
