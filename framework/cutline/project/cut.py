"""Cut lines as a project declares them: between a snapshot and its tail, and before what is live.

Each section only says what was captured. What it means is in `cutline.cut`.
"""

from __future__ import annotations

import datetime as dt
from typing import Annotated, Literal

from pydantic import Field

from cutline.project.base import Section
from cutline.project.moment import Moment
from cutline.project.names import Identifier

Overlap = Literal["apply", "hold"]
"""What becomes of a change that both sides may have: applied again, or held for a person."""


class TransactionVisibilityCut(Section):
    """What a session of the database saw is history: exact, also where commits become visible
    later than they are logged."""

    policy: Literal["transaction-visibility"]
    """How the line is drawn."""
    visible: str | None = None
    """PostgreSQL's `pg_current_snapshot()`, or MySQL's `gtid_executed`, taken in the transaction of
    the extract. Left out for a source of kind `postgresql`: the run captures it."""


class ExportedSnapshotCut(Section):
    """What was committed before a place in the log is history."""

    policy: Literal["exported-snapshot"]
    """How the line is drawn."""
    consistent_point: str | None = Field(default=None, coerce_numbers_to_str=True)
    """The place in the log: for PostgreSQL the slot's consistent point, at which the snapshot that
    every connection of the extract imported was exported. Left out for a source of kind
    `postgresql`: the run captures it."""


class ChangeNumberCut(Section):
    """What has a change number up to one is history."""

    policy: Literal["change-number"]
    """How the line is drawn."""
    number: str = Field(coerce_numbers_to_str=True)
    """The number, read under the same consistency as the rows."""


class CommitTimestampCut(Section):
    """History is everything that a source committed up to a moment."""

    policy: Literal["commit-timestamp"]
    """How the line is drawn."""
    at: Moment
    """The moment, with its zone. A change committed later belongs to the live tail."""
    until: Moment | None = None
    """The end of the overlap zone: what was committed after `at` and up to it may be on either side
    of the line, or on both. Left out, there is none: the source was at rest."""
    overlap: Overlap = "apply"
    """What becomes of changes in the zone: `apply` for consumers that an event may reach twice."""


class KafkaOffsetsCut(Section):
    """What a topic held before an offset per partition, frozen at the start, is history."""

    policy: Literal["kafka-offsets"]
    """How the line is drawn."""
    offsets: dict[int, int] = Field(min_length=1)
    """By partition, the end offset at the start: the first that belongs to the tail."""


class Batch(Section):
    """One extract of a source that was taken in batches."""

    id: str
    """What the extracting job calls it."""
    generation: int = Field(default=1, ge=1)
    """A repair has a higher one than what it repairs: it outranks it for the keys that it has."""
    folder: str
    """The folder of its files, within the source's."""
    consistent_point: str = Field(coerce_numbers_to_str=True)
    """The place in the log at which it was exported."""
    rows: dict[Identifier, int] = Field(default_factory=dict)
    """By table, how many rows the job says that it wrote."""


class BatchCut(Section):
    """Extracts in batches, each exact at a place in the log of its own."""

    policy: Literal["batches"]
    """How the line is drawn."""
    batches: tuple[Batch, ...] = Field(min_length=1)
    """The batches."""


class SnapshotInLogCut(Section):
    """The connector's own snapshot: its rows stand in the change file, before the changes."""

    policy: Literal["in-log"]
    """How the line is drawn."""


TechnicalCut = Annotated[
    TransactionVisibilityCut
    | ExportedSnapshotCut
    | ChangeNumberCut
    | CommitTimestampCut
    | KafkaOffsetsCut,
    Field(discriminator="policy"),
]
"""Lines drawn by what a source itself says of its changes."""


class EffectiveDateCut(Section):
    """The new system decides what happens from a business date on. Which changes have been seen is
    another question, and a technical cut beneath answers it."""

    policy: Literal["effective-date"]
    """How the line is drawn."""
    date: dt.date
    """The first day that the new system decides."""
    zone: str = "UTC"
    """The time zone in which that day begins."""
    beneath: TechnicalCut
    """The line in the sources' logs. What was committed after it and speaks of a day before the
    date is a late correction: it is appended, never cut for being old."""


SnapshotCut = Annotated[
    TransactionVisibilityCut
    | ExportedSnapshotCut
    | ChangeNumberCut
    | CommitTimestampCut
    | KafkaOffsetsCut
    | BatchCut
    | SnapshotInLogCut,
    Field(discriminator="policy"),
]
"""How a snapshot and the changes after it meet."""

HistoryCut = Annotated[
    TransactionVisibilityCut
    | ExportedSnapshotCut
    | ChangeNumberCut
    | CommitTimestampCut
    | KafkaOffsetsCut
    | EffectiveDateCut,
    Field(discriminator="policy"),
]
"""Where history ends and live begins."""
