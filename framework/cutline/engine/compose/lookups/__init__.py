"""Lookups: reference data joined to images, as of their commits, of the cut or of a business time.

A lookup whose source has changes is as of the image's commit. One that is declared `frozen`, or
that has a business time, sees the rows that exist at the cut. Without changes both are the same.
"""

from __future__ import annotations

from pyspark.sql import DataFrame

from cutline.engine.compose.frames import IMAGES
from cutline.engine.compose.lookups.as_of_commit import join_as_of_commit, version_chapters
from cutline.engine.compose.lookups.frames import (
    looked_up_columns,
    lookup_image,
    match_count,
    unread_match,
)
from cutline.engine.compose.lookups.frozen import join_frozen, rows_at_the_cut
from cutline.engine.compose.lookups.states import changes_that_count, quarantined_in_history
from cutline.engine.frames import step
from cutline.translator.part import Lookup

__all__ = [
    "join_lookup",
    "looked_up_columns",
    "lookup_image",
    "match_count",
    "quarantined_in_history",
    "unread_match",
]


@step(needs=IMAGES, adds=looked_up_columns)
def join_lookup(
    images: DataFrame,
    name: str,
    lookup: Lookup,
    changes: DataFrame,
    primary: str,
    *,
    changing: bool,
    all_sound: bool,
) -> DataFrame:
    """The images with the looked-up row or rows, and their number; no image comes twice.

    `changes` are the classified ones of the looked-up table; `changing` says whether its source has
    any beside its snapshot, `all_sound` whether it is sure that none is quarantined: then the plan
    is shorter. `primary` is the translator's first part: its last image has the key. A person must
    look at an image whose key has more than one row. An image that meets a quarantined row sees
    none.
    """
    changes = changes_that_count(changes, all_sound)
    if changing and lookup.by_commit:
        chapters = version_chapters(lookup, changes, all_sound)
        return join_as_of_commit(images, name, lookup, chapters, primary, all_sound)
    table = rows_at_the_cut(lookup, changes, changing, all_sound)
    return join_frozen(images, name, lookup, table, primary, all_sound)
