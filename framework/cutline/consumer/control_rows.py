"""The rows of the control database that a service reads, and what they must hold.

Its tables are declared here once more, as far as they are read: a service needs nothing else of
Cutline.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, TypeAdapter, ValidationError
from sqlalchemy import JSON, BigInteger, Column, MetaData, Row, Table, Text

from cutline.consumer.epochs import WritesMoved
from cutline.consumer.errors import ConsumerError

CONTROL = MetaData()

ROLLOUTS = Table(
    "cutline_rollouts",
    CONTROL,
    Column("context", Text, primary_key=True),
    Column("region", Text, primary_key=True),
    Column("reads", Text, nullable=False),
    Column("percent", BigInteger),
    Column("writes", Text, nullable=False),
    Column("epoch", BigInteger, nullable=False),
    Column("release", BigInteger),
)

RELEASES = Table(
    "cutline_releases",
    CONTROL,
    Column("context", Text, primary_key=True),
    Column("region", Text, primary_key=True),
    Column("release", BigInteger, primary_key=True),
    Column("run_id", Text, nullable=False),
    Column("timeline_digest", Text, nullable=False),
    Column("positions", JSON, nullable=False),
    Column("read_model", JSON(none_as_null=True)),
)

LEDGER = Table(
    "cutline_rollout_ledger",
    CONTROL,
    Column("context", Text, primary_key=True),
    Column("region", Text, primary_key=True),
    Column("version", BigInteger, primary_key=True),
    Column("step", Text),
    Column("event", Text, nullable=False),
    Column("evidence", JSON(none_as_null=True), nullable=False),
    Column("writes", Text, nullable=False),
    Column("epoch", BigInteger, nullable=False),
)


@dataclass(frozen=True)
class SliceRelease:
    """The release that a slice's readers use: its run, the SHA-256 of its timeline, by topic and
    partition the offset at which its history ends, and by aggregate its table in the read model;
    no tables where it was staged without one."""

    release: int
    run_id: str
    digest: str
    ends: Mapping[tuple[str, int], int]
    tables: Mapping[str, str]


class _Evidence(BaseModel):
    live_ends: dict[str, dict[int, int]] | None = None


class _ReadTable(BaseModel):
    aggregate: str
    table: str


class _ReadModel(BaseModel):
    tables: list[_ReadTable]


_SHOWN = 60


def refuse_damaged_rollout(row: Row[Any]) -> None:
    """ConsumerError for a row of a rollout that holds what no version of Cutline writes: a service
    that guesses who is read or who writes would let both sides act."""
    _refuse_damaged(row, ROLLOUTS, f"row context {row.context!r}, region {row.region!r}")


def move_of(row: Row[Any]) -> WritesMoved:
    """The move of the writes that a line of the ledger is. ConsumerError where it holds what no
    version of Cutline writes."""
    of = f"row context {row.context!r}, region {row.region!r}, version {row.version!r}"
    _refuse_damaged(row, LEDGER, of)
    return WritesMoved(row.epoch, row.writes, row.evidence.get("live_ends"))


def release_of(row: Row[Any]) -> SliceRelease:
    """The release of a row. ConsumerError where it holds what no version of Cutline writes."""
    of = f"row context {row.context!r}, region {row.region!r}, release {row.release!r}"
    _refuse_damaged(row, RELEASES, of)
    ends = {
        (topic, int(partition)): int(end)
        for topic, partitions in row.positions.items()
        for partition, end in partitions.items()
    }
    tables = (row.read_model or {"tables": ()})["tables"]
    return SliceRelease(
        row.release,
        row.run_id,
        row.timeline_digest,
        ends,
        {table["aggregate"]: table["table"] for table in tables},
    )


def json_columns(table: str) -> str:
    """The columns of JSON of a table, by their names."""
    columns = CONTROL.tables[table].columns
    return " or ".join(column.name for column in columns if isinstance(column.type, JSON))


def _refuse_damaged(row: Row[Any], table: Table, of: str) -> None:
    for column, shape in _SHAPES[table.name].items():
        value = row._mapping[table.c[column]]
        try:
            shape.validate_python(value)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            place = ".".join(map(str, first["loc"]))
            says = f"holds {_short(value)}: {place and f'at {place}, '}{first['msg']}"
            raise damaged(table.name, column, says, of) from None


def damaged(table: str, column: str, says: str, of: str = "a row") -> ConsumerError:
    """The error of a column of a row that cannot be read."""
    return ConsumerError(
        f"the control database: table {table}, {of}: column {column} {says}",
        left_behind="The event is not handled, and comes again.",
        next_step="Restore the row from a backup of the control database, and start the service "
        "again.",
    )


_Number = Annotated[int, Field(strict=True)]
_Writes = Literal["legacy", "held", "new"]
_SHAPES: Mapping[str, Mapping[str, TypeAdapter[Any]]] = {
    ROLLOUTS.name: {
        "reads": TypeAdapter(Literal["legacy", "mirror", "canary", "new"]),
        "writes": TypeAdapter(_Writes),
        "epoch": TypeAdapter(_Number),
        "percent": TypeAdapter(Annotated[_Number, Field(ge=1, le=100)] | None),
        "release": TypeAdapter(_Number | None),
    },
    RELEASES.name: {
        "run_id": TypeAdapter(str),
        "timeline_digest": TypeAdapter(str),
        "positions": TypeAdapter(dict[str, dict[int, int]]),
        "read_model": TypeAdapter(_ReadModel | None),
    },
    LEDGER.name: {
        "epoch": TypeAdapter(_Number),
        "writes": TypeAdapter(_Writes),
        "evidence": TypeAdapter(_Evidence),
    },
}
"""By table and column, what a column that is read must hold."""


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
