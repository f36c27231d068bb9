"""Lookups: reference data joined to images, as of their commits, of the cut or of a business time.

A lookup whose source has changes is as of the image's commit. One that is declared `frozen`, or
that has a business time, sees the rows that exist at the cut. Without changes both are the same.
"""

from __future__ import annotations

from pyspark.sql import DataFrame

from cutline.engine.compose.frames import IMAGES
from cutline.engine.compose.lookups.as_of_commit import join_as_of_commit, version_chapters
from cutline.engine.compose.lookups.frames import looked_up_columns, lookup_image, match_count
from cutline.engine.compose.lookups.frozen import join_frozen, rows_at_the_cut
from cutline.engine.frames import step
from cutline.translator.part import Lookup

__all__ = [
    "join_lookup",
    "looked_up_columns",
    "lookup_image",
    "match_count",
]


@step(needs=IMAGES, adds=looked_up_columns)
def join_lookup(
    images: DataFrame, name: str, lookup: Lookup, readable: DataFrame, primary: str, changing: bool
) -> DataFrame:
    """The images with the looked-up row or rows, and their number; no image comes twice.

    `readable` are the changes of the looked-up table that could be read, up to the cut; `changing`
    says whether its source has changes. `primary` is the translator's first part: its last image
    has the key. A person must look at an image whose key has more than one row.
    """
    if changing and lookup.by_commit:
        return join_as_of_commit(images, name, lookup, version_chapters(lookup, readable), primary)
    table = rows_at_the_cut(lookup, readable, changing)
    return join_frozen(images, name, lookup, table, primary)
