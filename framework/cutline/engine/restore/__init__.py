"""Rows restored: what a log leaves out of a change is found in the row's own history.

A source may tell only the columns that changed, no image before, another key than a moment ago, or
(re-reading a row) no place in its log. Each is settled per row, from its snapshot on, in the order
of positions; what stays unknown is said to be unknown.
"""

from cutline.engine.restore.arrival import placed_by_arrival
from cutline.engine.restore.columns import REREAD
from cutline.engine.restore.identities import Continued, followed_keys
from cutline.engine.restore.options import Seen
from cutline.engine.restore.restored import (
    ARRIVED,
    LEFT,
    RESTORE_END,
    ROW_GROUP,
    SUBJECT,
    Restoring,
    as_told,
    is_live,
    keyed_by_subject,
    restored,
    shown_once,
)
from cutline.engine.restore.standing import STOOD, with_standing

__all__ = [
    "ARRIVED",
    "LEFT",
    "REREAD",
    "RESTORE_END",
    "ROW_GROUP",
    "STOOD",
    "SUBJECT",
    "Continued",
    "Restoring",
    "Seen",
    "as_told",
    "followed_keys",
    "is_live",
    "keyed_by_subject",
    "placed_by_arrival",
    "restored",
    "shown_once",
    "with_standing",
]
