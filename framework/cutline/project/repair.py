"""Repairs: tables of windows over event time that were wrong for a while, computed anew."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Annotated, Self

from pydantic import Field, SecretStr, StringConstraints, model_validator

from cutline.project.base import Section
from cutline.project.names import IDENTIFIER, Slug, TopicName

RepairName = Annotated[str, StringConstraints(pattern=IDENTIFIER, max_length=40)]
"""The name of a repair: tables beside the repaired one are named by it."""


class RepairOutput(Section):
    """The table that a job writes: one row per window and key."""

    url: SecretStr
    """SQLAlchemy URL of the database, SQLite or PostgreSQL. A password in it must come from
    `${NAME}` or `${file:PATH}`, as it is: it is encoded for the URL here."""
    schema_name: str | None = Field(default=None, alias="schema", min_length=1, max_length=63)
    """The schema of the table, on PostgreSQL; left out, the first that the user's search path has.
    It is written `schema`."""
    table: str = Field(min_length=1, max_length=63)
    """The table."""
    window: str = Field(min_length=1)
    """The column with the beginning of the window: a time, a date, a whole number of seconds since
    1970, or a text such as 2026-11-01T06:00:00Z."""
    key: tuple[str, ...] = ()
    """The columns which, with the window, name a row."""
    ignored: tuple[str, ...] = ()
    """Columns that are neither computed nor compared, such as the time of the last change; a row
    that is written anew has the database's default there."""
    tolerance: dict[str, Decimal] = Field(default_factory=dict)
    """By a column of numbers how far two values may differ that count as equal."""

    @model_validator(mode="after")
    def _columns_differ(self) -> Self:
        named = [self.window, *self.key, *self.ignored]
        for name in named:
            if named.count(name) > 1:
                raise ValueError(f"column {name} is named twice among window, key and ignored")
        for name, most in self.tolerance.items():
            if name in named:
                raise ValueError(f"tolerance: column {name} is window, key or ignored")
            if not most.is_finite() or most < 0:
                raise ValueError(f"tolerance.{name}: {most} is no number from 0 on")
        return self


class RepairState(Section):
    """What must be known of all events before a moment."""

    query: str = Field(min_length=1)
    """The file with the query, in Spark's SQL over `events`, those up to the moment, and `state`,
    what it gave for an earlier one, which has no rows at first."""
    columns: str = Field(min_length=1)
    """The columns of its answer with their types, such as `product string, total decimal(18,2)`."""


class RepairSection(Section):
    """How a table of windows is computed from events. Nothing of it is a part of what names a
    run."""

    replay: Slug
    """Which of `replays` has the events: its source, its records and its upcasters."""
    size: dt.timedelta = Field(gt=dt.timedelta(0))
    """How long a window is. Windows follow each other from 1970 on, in UTC."""
    lateness: dt.timedelta = Field(default=dt.timedelta(0), ge=dt.timedelta(0))
    """How long after a window's end an event of it may come, by its record's own time. What comes
    later is late: it is counted, and not in the window."""
    disorder: dt.timedelta = Field(default=dt.timedelta(hours=1), ge=dt.timedelta(0))
    """How far, by its own time, a record may stand behind one of a later time. It says how far
    around the window a topic is read."""
    query: str = Field(min_length=1)
    """The file with the query, in Spark's SQL over `events` and, where there is one, `state`."""
    state: RepairState | None = None
    """What the query must know of what came before; left out, the rows of a window depend on its
    own events only."""
    output: RepairOutput
    """The table."""
    control: int = Field(default=1, ge=0)
    """How many windows before the repaired ones are computed as well, and must be in the table as
    they are computed: that is how one knows that the query says what the job does."""
    pace: float = Field(default=10, gt=0)
    """How many times as fast as the events came a repair should be."""
    corrections: TopicName | None = None
    """The topic, one of the replay's destinations, that retractions and additions go to."""
