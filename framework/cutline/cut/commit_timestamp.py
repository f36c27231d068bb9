"""The cut by commit time: what a source committed up to a moment is history."""

from __future__ import annotations

import datetime as dt

from pyspark.sql import Column
from pyspark.sql import functions as F


def after_cut(committed: Column, at: dt.datetime) -> Column:
    """Whether a change was committed after the cut; false for a snapshot row, whose time is null.

    What was committed exactly at the cut is history.
    """
    return F.coalesce(committed > F.lit(at), F.lit(False))
