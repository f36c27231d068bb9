"""Cutline's own tables beside the read models: tables, views and ranges, and what they hold."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    LargeBinary,
    MetaData,
    Row,
    Table,
    Text,
    delete,
    insert,
    select,
    update,
)

from cutline.readmodels.model import ReadModelColumn, ReadModelTable
from cutline.readmodels.ranges import KeyRange, RangeHead

METADATA = MetaData()

TABLES = Table(
    "cutline_read_model_tables",
    METADATA,
    Column("table_name", Text, primary_key=True),
    Column("context", Text, nullable=False),
    Column("region", Text, nullable=False),
    Column("aggregate", Text, nullable=False),
    Column("version", BigInteger, nullable=False),
    Column("run_id", Text, nullable=False),
    Column("view_name", Text, nullable=False),
    Column("columns", Text, nullable=False),
    Column("attempt", Text, nullable=False),
    Column("whole", Boolean, nullable=False),
    Column("row_count", BigInteger, nullable=False),
    Column("digest", Text, nullable=False),
    comment="One row is one aggregate's table of a version, whole or half built",
)

VIEWS = Table(
    "cutline_read_model_views",
    METADATA,
    Column("view_name", Text, primary_key=True),
    Column("context", Text, nullable=False),
    Column("region", Text, nullable=False),
    Column("aggregate", Text, nullable=False),
    Column("table_name", Text, nullable=False),
    Column("definition", Text, nullable=False),
    comment="One row is one view that services read, with its SQL as the database has it",
)

RANGES = Table(
    "cutline_read_model_ranges",
    METADATA,
    Column("table_name", Text, primary_key=True),
    Column("number", BigInteger, primary_key=True),
    Column("first_subject", LargeBinary, nullable=False),
    Column("row_count", BigInteger, nullable=False),
    Column("digest", Text, nullable=False),
    Column("subjects", LargeBinary, nullable=False),
    Column("fingerprints", LargeBinary, nullable=False),
    comment="One row is one range of a table by its subjects, and what was built there",
)


MOVES = Table(
    "cutline_read_model_moves",
    METADATA,
    Column("context", Text, primary_key=True),
    Column("region", Text, primary_key=True),
    Column("move", BigInteger, nullable=False),
    comment="One row is the newest change of a rollout that was at the read model",
)


SHAPES = Table(
    "cutline_read_model_shapes",
    METADATA,
    Column("view_name", Text, primary_key=True),
    Column("shape", Text, nullable=False),
    comment="One row is one view that shows more than the columns of its table",
)


@dataclass(frozen=True)
class SliceName:
    """A context in a region."""

    context: str
    region: str


@dataclass(frozen=True)
class TablePlan:
    """A table as it is to be built."""

    slice: SliceName
    aggregate: str
    version: int
    run_id: str
    table: str
    view: str
    columns: tuple[ReadModelColumn, ...]


@dataclass(frozen=True)
class TableRecord:
    """A table that was built, or begun; `attempt` names who builds it, or did last."""

    plan: TablePlan
    attempt: str
    whole: bool
    rows: int
    digest: str

    def described(self) -> ReadModelTable:
        """The table for people and for the control database."""
        return ReadModelTable(
            aggregate=self.plan.aggregate,
            table=self.plan.table,
            view=self.plan.view,
            rows=self.rows,
            digest=self.digest,
            columns=self.plan.columns,
        )


@dataclass(frozen=True)
class ViewRecord:
    """A view that was made: whose it is, the table that it shows, and its SQL."""

    view: str
    slice: SliceName
    aggregate: str
    table: str
    definition: str


def table_record(connection: Connection, table: str) -> TableRecord | None:
    """What is recorded of a table of that name; None if Cutline made none."""
    row = connection.execute(select(TABLES).where(TABLES.c.table_name == table)).first()
    return None if row is None else _table_record(row)


def table_records(connection: Connection, slice: SliceName) -> list[TableRecord]:
    """The tables of a slice, whole or not, by version and name."""
    query = (
        select(TABLES)
        .where(TABLES.c.context == slice.context, TABLES.c.region == slice.region)
        .order_by(TABLES.c.version, TABLES.c.table_name)
    )
    return [_table_record(row) for row in connection.execute(query)]


def insert_table(connection: Connection, plan: TablePlan, attempt: str) -> None:
    """Record that a table is being built."""
    columns = json.dumps([column.model_dump() for column in plan.columns])
    connection.execute(
        insert(TABLES).values(
            table_name=plan.table,
            context=plan.slice.context,
            region=plan.slice.region,
            aggregate=plan.aggregate,
            version=plan.version,
            run_id=plan.run_id,
            view_name=plan.view,
            columns=columns,
            attempt=attempt,
            whole=False,
            row_count=0,
            digest="",
        )
    )


def is_under_way(connection: Connection, table: str, attempt: str) -> bool:
    """Whether that attempt still builds the table. Nobody else may begin until the transaction
    has ended.
    """
    query = select(TABLES.c.attempt).where(TABLES.c.table_name == table, ~TABLES.c.whole)
    return connection.execute(query.with_for_update()).scalar_one_or_none() == attempt


def record_whole(connection: Connection, table: str, rows: int, digest: str) -> None:
    """Record that a table is whole."""
    change = update(TABLES).where(TABLES.c.table_name == table)
    connection.execute(change.values(whole=True, row_count=rows, digest=digest))


def forget_table(connection: Connection, table: str) -> None:
    """Remove what is recorded of a table and its ranges."""
    connection.execute(delete(RANGES).where(RANGES.c.table_name == table))
    connection.execute(delete(TABLES).where(TABLES.c.table_name == table))


def insert_range(connection: Connection, table: str, key_range: KeyRange) -> None:
    """Record what was written into a range."""
    head = key_range.head
    connection.execute(
        insert(RANGES).values(
            table_name=table,
            number=head.number,
            first_subject=head.first,
            row_count=head.rows,
            digest=head.digest,
            subjects=key_range.subjects,
            fingerprints=key_range.fingerprints,
        )
    )


def range_heads(connection: Connection, table: str) -> list[RangeHead]:
    """Where the ranges of a table begin, and what they hold: one for some thousands of rows."""
    c = RANGES.c
    query = select(c.number, c.first_subject, c.row_count, c.digest).where(c.table_name == table)
    return [RangeHead(*row) for row in connection.execute(query.order_by(c.number))]


def key_range(connection: Connection, table: str, head: RangeHead) -> KeyRange:
    """A range with the fingerprint of each of its rows."""
    c = RANGES.c
    query = select(c.subjects, c.fingerprints).where(c.table_name == table, c.number == head.number)
    subjects, fingerprints = connection.execute(query).one()
    return KeyRange(head, subjects, fingerprints)


def view_record(connection: Connection, view: str) -> ViewRecord | None:
    """What is recorded of a view of that name; None if Cutline made none."""
    row = connection.execute(select(VIEWS).where(VIEWS.c.view_name == view)).first()
    return None if row is None else _view_record(row)


def view_records(connection: Connection, slice: SliceName) -> list[ViewRecord]:
    """The views of a slice, by name."""
    query = (
        select(VIEWS)
        .where(VIEWS.c.context == slice.context, VIEWS.c.region == slice.region)
        .order_by(VIEWS.c.view_name)
    )
    return [_view_record(row) for row in connection.execute(query)]


def insert_view(connection: Connection, record: ViewRecord) -> None:
    """Record a view."""
    connection.execute(
        insert(VIEWS).values(
            view_name=record.view,
            context=record.slice.context,
            region=record.slice.region,
            aggregate=record.aggregate,
            table_name=record.table,
            definition=record.definition,
        )
    )


def forget_view(connection: Connection, view: str) -> None:
    """Remove what is recorded of a view."""
    connection.execute(delete(SHAPES).where(SHAPES.c.view_name == view))
    connection.execute(delete(VIEWS).where(VIEWS.c.view_name == view))


def view_shape(connection: Connection, view: str) -> str | None:
    """`expanded` or `contracted` of a view that shows more than the columns of its table; None for
    any other."""
    query = select(SHAPES.c.shape).where(SHAPES.c.view_name == view)
    return connection.execute(query).scalar_one_or_none()


def insert_shape(connection: Connection, view: str, shape: str) -> None:
    """Record that a view shows more than the columns of its table."""
    connection.execute(insert(SHAPES).values(view_name=view, shape=shape))


def newest_move(connection: Connection, slice: SliceName) -> int | None:
    """The newest change of the slice's rollout that was at its read model; None if none was."""
    c = MOVES.c
    where = (c.context == slice.context, c.region == slice.region)
    return connection.execute(select(c.move).where(*where)).scalar_one_or_none()


def claim_move(connection: Connection, slice: SliceName, move: int) -> bool:
    """Whether no later change of the slice's rollout was at its read model; then this one is
    recorded. Call it under the lock of the database.
    """
    c = MOVES.c
    where = (c.context == slice.context, c.region == slice.region)
    latest = newest_move(connection, slice)
    if latest is None:
        values = {"context": slice.context, "region": slice.region, "move": move}
        connection.execute(insert(MOVES).values(**values))
    elif latest < move:
        connection.execute(update(MOVES).where(*where).values(move=move))
    return latest is None or latest <= move


def whole_versions(records: Sequence[TableRecord]) -> Iterator[int]:
    """The versions of which every table is whole, in order."""
    for version in sorted({record.plan.version for record in records}):
        if all(record.whole for record in records if record.plan.version == version):
            yield version


def _table_record(row: Row[tuple[object, ...]]) -> TableRecord:
    columns = tuple(ReadModelColumn(**column) for column in json.loads(row.columns))
    plan = TablePlan(
        SliceName(row.context, row.region),
        row.aggregate,
        row.version,
        row.run_id,
        row.table_name,
        row.view_name,
        columns,
    )
    return TableRecord(plan, row.attempt, row.whole, row.row_count, row.digest)


def _view_record(row: Row[tuple[object, ...]]) -> ViewRecord:
    slice_ = SliceName(row.context, row.region)
    return ViewRecord(row.view_name, slice_, row.aggregate, row.table_name, row.definition)
