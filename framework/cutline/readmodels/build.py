"""Building one table of a version: begun, filled range by range, read back, and then whole."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Iterable
from itertools import chain, islice

from sqlalchemy import Connection

from cutline.errors import ConfigurationError, RunFailed
from cutline.logs import logger
from cutline.readmodels.database import ReadModelDatabase
from cutline.readmodels.differences import ReadTable
from cutline.readmodels.feed_tables import forget_feed
from cutline.readmodels.lines import NO_VALUE, subject_of, values_of
from cutline.readmodels.moves import refuse_late, refuse_overtaken
from cutline.readmodels.ranges import add_line, in_ranges, range_of
from cutline.readmodels.records import (
    TablePlan,
    TableRecord,
    forget_table,
    insert_range,
    insert_table,
    is_under_way,
    record_whole,
    table_record,
)
from cutline.readmodels.states import States

_LOG = logger(__name__)

_HALF_BUILT = (
    "The table is half built; it is built anew, or dropped with its version, by the next attempt. "
    "What services read was not changed."
)
_NOTHING = "Nothing was built. What services read was not changed."
_AGAIN = "Run the same command again."
_SHOWN = 10
"""How many subjects that differ an error names."""


def build_table(
    database: ReadModelDatabase, plan: TablePlan, states: States, move: int | None = None
) -> TableRecord:
    """The table, whole: built now from the states, or already there.

    Their lines are asked for only where it is built. RunFailed where it does not hold in the end
    what they say, another process builds it as well, or a later `move` of the slice's rollout was
    at its read model.
    """
    attempt = _begin(database, plan, move)
    if attempt is not None:
        rows, digest = _fill(database, plan, attempt, states.lines, move)
        if rows != states.rows:
            raise RunFailed(
                f"table {plan.table}: the states of aggregate {plan.aggregate} are "
                f"{states.rows:,} rows, but {rows:,} came",
                left_behind=_HALF_BUILT,
                next_step=_AGAIN,
            )
        _read_back(database, plan)
        with database.write() as connection:
            _refuse_overtaken(connection, plan, attempt, move)
            record_whole(connection, plan.table, rows, digest)
        extra = {"table": plan.table, "rows": rows, "digest": digest}
        _LOG.info("read model built", extra=extra)
    with database.read() as connection:
        record = table_record(connection, plan.table)
    assert record is not None
    return record


def _begin(database: ReadModelDatabase, plan: TablePlan, move: int | None) -> str | None:
    """The attempt to build the table, which is there without rows now; None if it is whole."""
    with database.write() as connection:
        database.lock(connection)
        refuse_late(connection, plan.slice, move)
        record = table_record(connection, plan.table)
        kind = database.access.kind(connection, plan.table)
        if record is not None and _is_whole(database, connection, plan, record):
            return None
        if kind is not None:
            if record is None or not is_ours(database, connection, record):
                raise _not_ours(database, plan.table)
            database.access.drop_table(connection, plan.table)
        forget_table(connection, plan.table)
        forget_feed(connection, plan.slice, plan.version)
        attempt = uuid.uuid4().hex
        database.access.create_table(connection, plan.table, plan.columns)
        insert_table(connection, plan, attempt)
        return attempt


def _is_whole(
    database: ReadModelDatabase, connection: Connection, plan: TablePlan, record: TableRecord
) -> bool:
    """Whether the recorded table is the planned one, and whole. ConfigurationError for another."""
    theirs = record.plan
    if (theirs.slice, theirs.aggregate) != (plan.slice, plan.aggregate):
        raise ConfigurationError(
            f"table {plan.table} holds aggregate {theirs.aggregate} of {theirs.slice.context} in "
            f"region {theirs.slice.region}",
            left_behind=_NOTHING,
            next_step=f"Give aggregate {plan.aggregate} another name under "
            f"{database.section}.tables in cutline.yaml.",
        )
    if record.whole and theirs.run_id != plan.run_id:
        raise ConfigurationError(
            f"table {plan.table}: version {plan.version} is that of run {theirs.run_id}",
            left_behind=_NOTHING,
            next_step="Build another version, or drop this one first.",
        )
    return record.whole and is_ours(database, connection, record)


def is_ours(database: ReadModelDatabase, connection: Connection, record: TableRecord) -> bool:
    """Whether what stands there is the recorded table: it has its columns."""
    is_table = database.access.kind(connection, record.plan.table) == "table"
    names = database.access.column_names(connection, record.plan.table)
    return is_table and names == database.access.all_names(record.plan.columns)


def _not_ours(database: ReadModelDatabase, table: str) -> ConfigurationError:
    return ConfigurationError(
        f"{database.address.shown} has a table or view {table} that Cutline did not make, or that "
        "has other columns now",
        left_behind=_NOTHING,
        next_step=f"Rename it, or give the aggregate another name under {database.section}.tables "
        "in cutline.yaml.",
    )


def _fill(
    database: ReadModelDatabase,
    plan: TablePlan,
    attempt: str,
    lines: Iterable[bytes],
    move: int | None,
) -> tuple[int, str]:
    """Write the lines range by range, each in a transaction; their number and digest."""
    rows, digest, last = 0, hashlib.sha256(), None
    for number, piece in enumerate(in_ranges(lines)):
        for line in piece:
            subject = subject_of(line)
            _refuse_line(plan, line, subject, last)
            add_line(digest, line)
            last = subject
        with database.write() as connection:
            _refuse_overtaken(connection, plan, attempt, move)
            database.access.insert_lines(connection, plan.table, plan.columns, piece)
            insert_range(connection, plan.table, range_of(number, piece))
        rows += len(piece)
        _LOG.debug("read model written", extra={"table": plan.table, "rows": rows})
    return rows, digest.hexdigest()


def _refuse_line(plan: TablePlan, line: bytes, subject: bytes, last: bytes | None) -> None:
    shown = subject.decode(errors="replace")
    if last is not None and subject <= last:
        raise RunFailed(
            f"table {plan.table}: the states of aggregate {plan.aggregate} have two rows of "
            f"subject {shown!r}",
            left_behind=_HALF_BUILT,
            next_step="Project the run anew: its table of states is damaged.",
        )
    if NO_VALUE in line:
        names = [c.name for c, v in zip(plan.columns, values_of(line), strict=False) if _bad(v)]
        raise RunFailed(
            f"table {plan.table}: subject {shown!r} has in column {', '.join(names)} what no "
            "database keeps: a text with the character U+0000, or a date or time outside of the "
            "years 1 to 9999",
            left_behind=_HALF_BUILT,
            next_step="Have the translator put such rows aside, and run it anew.",
        )


def _bad(value: bytes | None) -> bool:
    return value is not None and NO_VALUE in value


def _refuse_overtaken(
    connection: Connection, plan: TablePlan, attempt: str, move: int | None
) -> None:
    refuse_overtaken(connection, plan.slice, move)
    if not is_under_way(connection, plan.table, attempt):
        raise RunFailed(
            f"table {plan.table}: another process has begun to build it",
            left_behind="What this process wrote is gone. What services read was not changed.",
            next_step="Let the other process end.",
        )


def _read_back(database: ReadModelDatabase, plan: TablePlan) -> None:
    """RunFailed, with the first keys, unless the table holds what was written into it."""
    with database.read() as connection:
        table = ReadTable(connection, database.access, plan.table, plan.columns)
        differences = chain.from_iterable(table.differences())
        first = [
            (d.subject.decode(errors="replace"), d.change) for d in islice(differences, _SHOWN)
        ]
        others = sum(1 for _ in differences)
    if first:
        named = ", ".join(f"{subject!r} ({change})" for subject, change in first)
        raise RunFailed(
            f"table {plan.table} does not hold what was projected: {named}"
            + (f" and {others:,} more" if others else ""),
            left_behind=_HALF_BUILT,
            next_step="See who or what else writes into that table, such as a trigger, and run the "
            "same command again.",
        )
