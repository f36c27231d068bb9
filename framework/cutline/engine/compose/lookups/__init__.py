"""Lookups: reference data joined to images, as of their commits, of the cut or of a business time.

A lookup whose source has changes is as of the image's commit. One that is declared `frozen`, or
that goes by a business time, sees the rows that stand at the cut; so does one whose source has no
changes, for there both are the same.
"""

from __future__ import annotations

from pyspark.sql import DataFrame

from cutline.engine.compose.lookups.as_of_commit import join_as_of_commit, version_chapters
from cutline.engine.compose.lookups.frozen import join_frozen, rows_at_the_cut
from cutline.engine.compose.lookups.names import match_count
from cutline.translator.part import Lookup

__all__ = [
    "join_lookup",
    "match_count",
]


def join_lookup(
    images: DataFrame, name: str, lookup: Lookup, readable: DataFrame, primary: str, changing: bool
) -> DataFrame:
    """The images with `after_<lookup>` beside the parts; the rows never become more.

    `readable` are the changes of the looked-up table that could be read, up to the cut;
    `changing` says whether its source has changes. `several_<lookup>` counts the rows that the key
    of the last image meets: null or 0, 1, or more, which a person must look at.
    """
    if changing and lookup.by_commit:
        return join_as_of_commit(images, name, lookup, version_chapters(lookup, readable), primary)
    table = rows_at_the_cut(lookup, readable, changing)
    return join_frozen(images, name, lookup, table, primary)
