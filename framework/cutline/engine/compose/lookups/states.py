"""What the changes of a looked-up table left of its rows."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F

from cutline.cut import BEFORE
from cutline.engine.compose.commits import is_quarantined, row_state
from cutline.engine.compose.frames import UNREAD
from cutline.engine.restore import REREAD, SIDE
from cutline.tables.change import SNAPSHOT


def state_left() -> Column:
    """What a change left of its row: ABSENT, SOUND or UNREAD; null where it left what was.

    What may lie on either side of the cut is UNREAD, also if it is a deletion.
    """
    doubtful = is_quarantined() & F.coalesce(F.col(SIDE) != BEFORE, F.lit(True))
    return F.when(doubtful, UNREAD).otherwise(row_state())


def row_of_table() -> Column:
    """One text for all changes of a key; a row without one is by itself."""
    place = F.xxhash64("source", "table", "payload", "position", "partition", "offset")
    return F.coalesce("key", F.concat(F.lit("?"), place.cast("string")))


def in_snapshot() -> Column:
    """Whether the change is a snapshot's row, before all others of its row; never null."""
    return (F.col("op") == SNAPSHOT) & ~F.col(REREAD)
