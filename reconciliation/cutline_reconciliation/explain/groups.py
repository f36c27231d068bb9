"""Groups of subjects: the population among which the causes of a cluster are looked for.

A group is the level and the name of what is compared there. Its key is one string, so that frames
join and group by it as Python does; it is built and read here alone.
"""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F

GROUP = "grouped"
"""The column of frames that has the key of the group."""
_SEPARATOR = "/"


def group_key(level: str, name: str) -> str:
    """The key of the group of an aggregate or outcome at a level.

    >>> group_key("state", "order")
    'state/order'
    """
    return _SEPARATOR.join((level, name))


def group_column() -> Column:
    """The key of the group that the columns `level` and `name` are of."""
    return F.concat_ws(_SEPARATOR, "level", "name")


def level_column() -> Column:
    """The level of the group; levels have no separator in them, as names may."""
    return F.split(GROUP, _SEPARATOR, 2)[0]


def name_column() -> Column:
    """The name of the aggregate or outcome of the group."""
    return F.split(GROUP, _SEPARATOR, 2)[1]
