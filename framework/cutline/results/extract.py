"""What the extract hands on: what each source held, and what its log of changes looks like."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import ClassVar, Literal

from pydantic import ConfigDict, Field

from cutline.results.model import Moment, ResultModel
from cutline.results.names import EXTRACT
from cutline.results.result import StageResult


class InputAccount(ResultModel):
    """What one input of a table holds, counted apart from its reader.

    Beside `rows` it has one count for whatever else is there, by name: `lines`, `headers`,
    `of_other_slices` and so on (see sources.inputs).
    """

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, int]

    place: str
    """The file or the table of a database, without secrets."""
    rows: int = 0
    """Rows of this slice."""

    def as_json(self) -> dict[str, str | int]:
        """As the documents of a run show it."""
        return {"place": self.place, **self.numbers()}

    def numbers(self) -> dict[str, int]:
        """All counts by name."""
        return {"rows": self.rows, **(self.model_extra or {})}


class ChunkAccount(ResultModel):
    """A part of a database's table that was read by itself."""

    condition: str
    """The condition of its rows; without bounds where these are personal."""
    rows: int
    """Rows of this slice."""
    visible: str
    """What was visible when it was read, as the database writes it. Where that is not what the
    run's snapshot shows, it was read by a run that was interrupted, and has not changed since."""


class FileRead(ResultModel):
    """How far one file of an input was read."""

    name: str
    """Its name in the input, such as `changes/erp.jsonl`."""
    bytes: int
    """The bytes that were read, from its beginning."""
    lines: int
    """The lines among them, the last one with or without its end."""
    sha256: str
    """Their SHA-256."""


class SourceExtract(ResultModel):
    """What was read of one source."""

    extracted_at: Moment
    """When the extract was taken."""
    position: str
    """What identifies its inputs."""
    snapshot: str | None = None
    """The position of its snapshot rows."""
    tables: Mapping[str, int] = {}
    """Rows written, by table."""
    read: Mapping[str, tuple[InputAccount, ...]] = {}
    """By table, what each of its inputs holds."""
    chunks: Mapping[str, tuple[ChunkAccount, ...]] = {}
    """By table of a database, the parts in which it was read, in order."""
    lines: Mapping[str, int] = {}
    """What the lines of its change files are, by name."""
    transactions: Literal["told", "assumed"] | None = None
    """Whether its changes tell where transactions end; null without changes."""
    newest: str | None = None
    """The commit time of its newest change; null where none tells one."""
    committed: Mapping[str, str] = {}
    """By point of a cut line, the latest commit before it that the log names."""
    offsets: Mapping[int, tuple[int, int]] = {}
    """By partition of its topic, the first offset and the one after the last."""

    @property
    def watermark(self) -> dt.datetime | None:
        """The commit time of its newest change, in UTC where it tells no zone."""
        if self.newest is None:
            return None
        at = dt.datetime.fromisoformat(self.newest)
        return at if at.tzinfo else at.replace(tzinfo=dt.UTC)


class TableLog(ResultModel):
    """What is in the changes of one table: counts of changes."""

    partial: int = 0
    """Their image has not every column."""
    renames: int = 0
    """They change the key of their row."""
    rereads: int = 0
    """They are rows of a snapshot that the log repeats."""
    unplaced: int = 0
    """They have no position."""
    alone: int = 0
    """Nothing tells with which others they were committed."""
    again: int = 0
    """They came again, where offsets are the order."""
    out_of_order: int = 0
    """They came behind a later one of their row, where offsets are the order."""
    generations: int = 0
    """Generations of its snapshot."""
    lasts: Mapping[int, str] = {}
    """By partition of a topic, the greatest position of a change; empty where changes are files."""


class ClockCrossing(ResultModel):
    """Two changes in the order of the log of which the clock says the opposite."""

    before: tuple[str, str]
    """Position and commit time of a change of before the line."""
    after: tuple[str, str]
    """Position and commit time of one of after it, which stands earlier in the log."""


class SourceLog(ResultModel):
    """What is in the changes of one source."""

    tables: Mapping[str, TableLog]
    """By table."""
    changes: int
    """All changes."""
    first: str | None = None
    """The least position; null without changes."""
    last: str | None = None
    """The greatest position; null without changes."""
    crossed: ClockCrossing | None = None
    """Where the source's clock ran backwards around the end of the snapshot; null if it did not."""
    stray: tuple[str, str] | None = None
    """Position and commit time of the first change that is out of order; null for none."""
    in_line: bool = False
    """Whether the snapshot's end is drawn by the log's own transactions."""
    by_partition: bool = False
    """Whether a position is a place in a topic."""

    def committed_alone(self) -> int:
        """Changes of which nothing tells with which others they were committed."""
        return sum(table.alone for table in self.tables.values())


class ExtractResult(StageResult):
    """What the extract hands on."""

    stage: ClassVar[str] = EXTRACT

    input_digest: str = Field(default="", alias="made_from")
    """A digest of all that the tables depend on: a run that reads the same takes them over."""
    taken_from: str | None = None
    """The run whose tables were taken over; null if the sources were read."""
    extracts: Mapping[str, SourceExtract] = {}
    """What was read, by source."""
    logs: Mapping[str, SourceLog] = {}
    """What is in the changes, by source that has some."""
    tombstones: int = 0
    """Lines of change files that are tombstones."""
    ignored: int = 0
    """Lines of change files that are no changes of a table that is read."""
    files: Mapping[str, tuple[FileRead, ...]] = {}
    """By input that may grow, how far its files were read; empty where a run did not keep it."""
    topics: Mapping[str, str] = {}
    """By input on topics of Kafka, how far it was read, as its position would be: that of the run,
    or less where a transaction had no end yet. Empty where a run did not keep it."""
    advanced_from: str | None = None
    """The run whose tables these go on from; null where everything was read."""
