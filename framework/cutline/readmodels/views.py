"""The views that services read: all of a slice point at one version, in one transaction."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection

from cutline.errors import ConfigurationError, RunFailed
from cutline.readmodels.build import is_ours
from cutline.readmodels.database import ReadModelDatabase
from cutline.readmodels.expansion import Shape, shaped_sql
from cutline.readmodels.model import ReadModelVersion
from cutline.readmodels.moves import refuse_late
from cutline.readmodels.records import (
    SliceName,
    TableRecord,
    ViewRecord,
    forget_view,
    insert_shape,
    insert_view,
    table_record,
    view_record,
    view_records,
    view_shape,
)


@dataclass(frozen=True)
class Beside:
    """Another version of which views show columns, in a shape."""

    version: ReadModelVersion
    shape: Shape


_UNCHANGED = "What services read was not changed."


def point_views(
    database: ReadModelDatabase,
    slice: SliceName,
    version: ReadModelVersion | None,
    move: int | None,
    beside: Beside | None = None,
) -> None:
    """Let the slice's views show that version; None drops them. `beside` says which columns of
    another version they show as well.

    Either all change or none. RunFailed for a version that is not whole, or where a later `move`
    was here, ConfigurationError for a view that is not ours.
    """
    with database.write() as connection:
        database.lock(connection)
        refuse_late(connection, slice, move)
        records = [] if version is None else _records_of(database, connection, slice, version)
        shown = {record.plan.view for record in records}
        for view in view_records(connection, slice):
            if view.view not in shown:
                _drop(database, connection, view)
        bases = {}
        if beside is not None:
            of_base = _records_of(database, connection, slice, beside.version)
            bases = {record.plan.aggregate: record for record in of_base}
        for record in records:
            base = bases.get(record.plan.aggregate)
            if beside is None or base is None:
                _show(database, connection, record, None, None)
            else:
                sql = shaped_sql(record, base, beside.shape)
                _show(database, connection, record, sql, beside.shape)


def pointed_version(
    database: ReadModelDatabase, connection: Connection, slice: SliceName
) -> int | None:
    """The version that the slice's views show, by the database; None if there are no views.

    RunFailed where one was changed or dropped by somebody else, or they show several versions.
    """
    versions: dict[int, str] = {}
    for view in view_records(connection, slice):
        definition = database.access.definition(connection, view.view)
        record = table_record(connection, view.table)
        if definition != view.definition or record is None:
            raise RunFailed(
                f"view {view.view} in {database.address.shown} is not as Cutline made it: it was "
                "changed or dropped",
                left_behind=_UNCHANGED,
                next_step="See who did, and let the views show a version again.",
            )
        versions[record.plan.version] = view.view
    if len(versions) > 1:
        named = ", ".join(f"{view} version {version}" for version, view in versions.items())
        raise RunFailed(
            f"the views of {slice.context} in region {slice.region} show several versions: {named}",
            left_behind=_UNCHANGED,
            next_step="Let the views show a version again.",
        )
    return next(iter(versions), None)


def _records_of(
    database: ReadModelDatabase,
    connection: Connection,
    slice: SliceName,
    version: ReadModelVersion,
) -> list[TableRecord]:
    """The records of the version's tables, of which each is whole and there."""
    records = []
    for table in version.tables:
        record = table_record(connection, table.table)
        is_right = (
            record is not None
            and record.whole
            and record.plan.slice == slice
            and record.plan.run_id == version.run_id
            and record.digest == table.digest
            and is_ours(database, connection, record)
        )
        if record is None or not is_right:
            raise RunFailed(
                f"table {table.table} is not there as version {version.version} of run "
                f"{version.run_id} left it",
                left_behind=_UNCHANGED,
                next_step="Build the version again.",
            )
        records.append(record)
    return records


def _show(
    database: ReadModelDatabase,
    connection: Connection,
    record: TableRecord,
    sql: str | None,
    shape: Shape | None,
) -> None:
    """Let the view of a table show its columns, or what the SQL says, which has a shape."""
    plan, access = record.plan, database.access
    known_view = view_record(connection, plan.view)
    if known_view is None and access.kind(connection, plan.view) is not None:
        raise _not_ours(database, plan.view)
    if known_view is not None and (known_view.slice, known_view.aggregate) != (
        plan.slice,
        plan.aggregate,
    ):
        raise ConfigurationError(
            f"view {plan.view} shows aggregate {known_view.aggregate} of "
            f"{known_view.slice.context} in region {known_view.slice.region}",
            left_behind=_UNCHANGED,
            next_step=f"Give aggregate {plan.aggregate} another name under "
            f"{database.section}.tables in cutline.yaml.",
        )
    if access.kind(connection, plan.view) not in (None, "view"):
        raise _not_ours(database, plan.view)
    if known_view is not None and _is_as_recorded(database, connection, known_view, plan.table):
        standing = view_shape(connection, plan.view)
        # What was contracted has the columns of its table, and some for services to leave.
        if standing == shape or (shape is None and standing == "contracted"):
            return
    access.replace_view(connection, plan.view, sql or access.view_sql(plan.table, plan.columns))
    definition = access.definition(connection, plan.view) or ""
    forget_view(connection, plan.view)
    record_of_view = ViewRecord(plan.view, plan.slice, plan.aggregate, plan.table, definition)
    insert_view(connection, record_of_view)
    if shape is not None:
        insert_shape(connection, plan.view, shape)


def _is_as_recorded(
    database: ReadModelDatabase, connection: Connection, view: ViewRecord, table: str
) -> bool:
    definition = database.access.definition(connection, view.view)
    return view.table == table and definition == view.definition


def _drop(database: ReadModelDatabase, connection: Connection, view: ViewRecord) -> None:
    match database.access.kind(connection, view.view):
        case "view":
            database.access.drop_view(connection, view.view)
        case None:
            pass
        case _:
            raise _not_ours(database, view.view)
    forget_view(connection, view.view)


def _not_ours(database: ReadModelDatabase, view: str) -> ConfigurationError:
    return ConfigurationError(
        f"{database.address.shown} has a table or view {view} that Cutline did not make",
        left_behind=_UNCHANGED,
        next_step=f"Rename it, or give the aggregate another name under {database.section}.tables "
        "in cutline.yaml.",
    )
