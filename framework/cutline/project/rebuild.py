"""Databases that are filled straight from legacy rows."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from cutline.project.names import Identifier
from cutline.project.rollout import StatesDatabase

Query = Annotated[str, Field(min_length=1)]


class RebuildSection(StatesDatabase):
    """A database of states that SQL takes from the legacy, without events."""

    queries: dict[Identifier, Query] = Field(min_length=1)
    """By aggregate the SQL that gives one row for each of its subjects, with the columns of its
    table of states; or a file with it, whose name ends with `.sql`. Tables are `source.table`, and
    `:region` is the region. `events`, `first_time` and `last_time` may be left out."""
