"""Tables whose rows go, or change, with those of the repaired one."""

from __future__ import annotations

from sqlalchemy import Connection, text

from cutline.errors import ConfigurationError
from cutline.repair.output import OutputTable, sql_name
from cutline.repair.request import UNCHANGED

_ON_POSTGRES = """
SELECT DISTINCT conrelid::regclass::text FROM pg_constraint
WHERE contype = 'f' AND confrelid = CAST(:name AS regclass) AND confdeltype IN ('c', 'n', 'd')
ORDER BY 1
"""
_ON_SQLITE = """
SELECT DISTINCT m.name FROM sqlite_master m, pragma_foreign_key_list(m.name) f
WHERE m.type = 'table' AND lower(f."table") = lower(:name)
AND f.on_delete IN ('CASCADE', 'SET NULL', 'SET DEFAULT') ORDER BY 1
"""


def refuse_dependents(connection: Connection, output: OutputTable) -> None:
    """ConfigurationError where rows of other tables would be lost with those that are replaced: a
    foreign key of theirs says ON DELETE CASCADE, SET NULL or SET DEFAULT."""
    if output.database.postgres:
        query, name = _ON_POSTGRES, sql_name(connection, output.live)
    else:
        query, name = _ON_SQLITE, output.live.name
    first = connection.execute(text(query), {"name": name}).scalars().first()
    if first is not None:
        raise ConfigurationError(
            f"{output.label} cannot be repaired: where a row is replaced, the foreign key of table "
            f"{first} deletes or empties the rows there that refer to it",
            left_behind=UNCHANGED,
            next_step="Let that foreign key do nothing on delete, deferred to the end of the "
            "transaction; or repair with --corrections.",
        )


def look_for_dependents(output: OutputTable) -> None:
    """The same before any work, in a transaction of its own."""
    with output.database.read() as connection:
        refuse_dependents(connection, output)
