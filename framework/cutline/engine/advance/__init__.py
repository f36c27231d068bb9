"""What new changes concern: the source rows and subjects whose results may be others now.

A result depends on the changes of its own subject, on those of the rows that ever were the
subject's, and on the rows that these look up. Whatever is reached from a new change by these ways
is concerned; nothing else can have changed.
"""

from cutline.engine.advance.concerned import KeptRows, concerned_rows
from cutline.engine.advance.edges import edges_of_changes, edges_of_ends, keys_of_changes
from cutline.engine.advance.events_of_rows import events_of_rows
from cutline.engine.advance.frames import EDGES, KEY, ROW_KEYS, SUBJECT, SUBJECTS
from cutline.engine.advance.looking import looked_up_rows, lookers, needs_lookers
from cutline.engine.advance.refusals import why_not_by_subject
from cutline.engine.advance.superseding import with_superseded

__all__ = [
    "EDGES",
    "KEY",
    "ROW_KEYS",
    "SUBJECT",
    "SUBJECTS",
    "KeptRows",
    "concerned_rows",
    "edges_of_changes",
    "edges_of_ends",
    "events_of_rows",
    "keys_of_changes",
    "looked_up_rows",
    "lookers",
    "needs_lookers",
    "why_not_by_subject",
    "with_superseded",
]
