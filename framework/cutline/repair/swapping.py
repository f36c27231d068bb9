"""The rows of windows put in place of those that were there, in one transaction, and back again."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, replace

from sqlalchemy import (
    Column,
    Connection,
    Integer,
    MetaData,
    String,
    Table,
    delete,
    insert,
    inspect,
    select,
)

from cutline.errors import EXIT_NO_GO, CutlineError, RunFailed
from cutline.repair.dependents import refuse_dependents
from cutline.repair.output import OutputTable, create, drop, lock
from cutline.repair.request import UNCHANGED
from cutline.repair.values import RowSum, sum_of

REPAIRS = "cutline_repairs"
"""The table, beside the repaired one, of what was put right by which repair."""


class RepairRefused(CutlineError):
    """The table may not be changed as things are. Exit code 1."""

    exit_code = EXIT_NO_GO


@dataclass(frozen=True)
class PerformedRepair:
    """What a repair did last: the windows from `begin` to before `end`, by the attempt `id`; which
    rows stand there since, and whether they were put back."""

    repair: str
    id: str
    begin: dt.datetime
    end: dt.datetime
    rows: int
    digest: str
    status: str


def swap(output: OutputTable, performed: PerformedRepair, before: RowSum) -> None:
    """Put the staged rows of the windows in place of those of the table.

    What was replaced stays beside it, in place of what an earlier repair replaced. RunFailed where
    the rows are no longer those that were compared, of which `before` has the sums.
    """
    begin, end = performed.begin, performed.end
    with output.database.write() as connection:
        lock(connection, output)
        standing = sum_of(output.rows(connection, output.live, begin, end))
        if (standing.rows, standing.whole) != (before.rows, before.whole):
            raise RunFailed(
                f"{output.label} was written to while its windows from {begin.isoformat()} to "
                f"{end.isoformat()} were repaired",
                left_behind=UNCHANGED,
                next_step="Stop who writes into windows that are closed, then run the same command "
                "again.",
            )
        drop(connection, output.replaced)
        create(connection, output.replaced, output.live)
        names = output.replaced.c.keys()
        old = select(*(output.live.c[n] for n in names))
        old = old.where(output.within(output.live, begin, end))
        connection.execute(insert(output.replaced).from_select(names, old))
        _replace(connection, output, output.staged, list(output.columns), begin, end)
        if _digest(sum_of(output.rows(connection, output.live, begin, end))) != performed.digest:
            raise RunFailed(
                f"{output.label} does not hold what was written to its windows from "
                f"{begin.isoformat()} to {end.isoformat()}: a trigger, a rule or the type of a "
                "column makes other values of it",
                left_behind=UNCHANGED,
                next_step="Compute what the table holds in the end, or declare such columns as "
                f"{output.key}.ignored; then run the same command again.",
            )
        drop(connection, output.staged)
        _record(connection, output, performed)


def put_back(output: OutputTable, repair: str) -> PerformedRepair:
    """Put what the newest repair of that name replaced back, and forget what it wrote.

    RepairRefused where there is none, or where somebody has written into its windows since.
    """
    with output.database.write() as connection:
        lock(connection, output)
        performed = performed_repair(connection, output, repair)
        if performed is None or performed.status != "repaired":
            ended = "never was" if performed is None else f"is {performed.status}"
            raise RepairRefused(
                f"nothing that repair {repair} replaced can be put back: it {ended}",
                left_behind=UNCHANGED,
                next_step=f"cutline repair window {repair} …",
            )
        refuse_dependents(connection, output)
        begin, end = performed.begin, performed.end
        standing = sum_of(output.rows(connection, output.live, begin, end))
        if _digest(standing) != performed.digest:
            raise RepairRefused(
                f"somebody has written into the windows of {output.label} from {begin.isoformat()} "
                f"to {end.isoformat()} since they were repaired",
                left_behind=UNCHANGED,
                next_step=f"Compare with table {output.replaced.name}, which has the rows of "
                "before, and decide by hand.",
            )
        _replace(connection, output, output.replaced, output.replaced.c.keys(), begin, end)
        drop(connection, output.replaced)
        performed = replace(performed, status="reversed")
        _record(connection, output, performed)
    return performed


def performed_repair(
    connection: Connection, output: OutputTable, repair: str
) -> PerformedRepair | None:
    """What a repair did last; null if it never did anything."""
    table = _table(output)
    if not inspect(connection).has_table(table.name, schema=table.schema):
        return None
    row = connection.execute(select(table).where(table.c.repair == repair)).one_or_none()
    if row is None:
        return None
    values = dict(row._mapping)
    for name in ("begin", "end"):
        values[name] = dt.datetime.fromisoformat(values.pop(f"{name}s_at"))
    return PerformedRepair(**values)


def performed_now(
    repair: str, id: str, begin: dt.datetime, end: dt.datetime, after: RowSum
) -> PerformedRepair:
    """A repair that leaves rows with these sums."""
    return PerformedRepair(repair, id, begin, end, after.rows, _digest(after), "repaired")


def _digest(total: RowSum) -> str:
    return f"{total.rows}:{total.whole:016x}"


def _replace(
    connection: Connection,
    output: OutputTable,
    source: Table,
    names: list[str],
    begin: dt.datetime,
    end: dt.datetime,
) -> None:
    connection.execute(delete(output.live).where(output.within(output.live, begin, end)))
    rows = select(*(source.c[n] for n in names)).where(output.within(source, begin, end))
    connection.execute(insert(output.live).from_select(names, rows))


def _record(connection: Connection, output: OutputTable, performed: PerformedRepair) -> None:
    table = _table(output)
    table.create(connection, checkfirst=True)
    connection.execute(delete(table).where(table.c.repair == performed.repair))
    values = dict(vars(performed))
    for name in ("begin", "end"):
        values[f"{name}s_at"] = values.pop(name).isoformat()
    connection.execute(insert(table).values(**values))


def _table(output: OutputTable) -> Table:
    return Table(
        REPAIRS,
        MetaData(),
        Column("repair", String(40), primary_key=True),
        Column("id", String(80), nullable=False),
        Column("begins_at", String(40), nullable=False),
        Column("ends_at", String(40), nullable=False),
        Column("rows", Integer, nullable=False),
        Column("digest", String(80), nullable=False),
        Column("status", String(20), nullable=False),
        schema=output.live.schema,
    )


def is_swapped(output: OutputTable, repair: str, id: str) -> bool:
    """Whether this very attempt has changed the table already."""
    with output.database.read() as connection:
        performed = performed_repair(connection, output, repair)
    return performed is not None and (performed.id, performed.status) == (id, "repaired")
