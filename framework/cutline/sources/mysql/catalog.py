"""What the server's catalog says of a table: its columns, its key, its engine."""

from __future__ import annotations

from dataclasses import dataclass

from cutline.errors import ConfigurationError, did_you_mean
from cutline.sources.mysql.database import MysqlSession
from cutline.sql.mysql import literal, quoted


@dataclass(frozen=True)
class MysqlColumn:
    """A column. `type_name` is the short name of its type in lower case (bigint), `declared` the
    type as SQL writes it (bigint(20) unsigned).
    """

    name: str
    type_name: str
    declared: str


@dataclass(frozen=True)
class MysqlTable:
    """A table as the catalog shows it.

    `key` are the columns of a unique index without nulls, the primary key first of all, and `index`
    is its name; empty and null where there is none.
    """

    name: str
    sql_name: str
    columns: tuple[MysqlColumn, ...]
    key: tuple[str, ...]
    index: str | None

    def column(self, name: str) -> MysqlColumn:
        """The column of that name."""
        return next(c for c in self.columns if c.name == name)


def readable_tables(session: MysqlSession) -> dict[str, str | None]:
    """The engine of each table of the database that the user may see; null for a view."""
    schema = literal(session.database.address.database)
    return {
        str(name): engine
        for name, engine in session.rows(
            f"SELECT table_name, engine FROM information_schema.tables"  # noqa: S608
            f" WHERE table_schema = {schema} ORDER BY table_name"
        )
    }


def refuse_unreadable_tables(session: MysqlSession, names: list[str], key: str) -> None:
    """ConfigurationError for tables that are not there, or whose rows no snapshot holds still.

    `key` is the source's in cutline.yaml.
    """
    engines, shown = readable_tables(session), session.database.shown
    lacking = [n for n in names if n not in engines]
    if lacking:
        raise ConfigurationError(
            "\n".join(
                f"{shown}: there is no table {n!r} that the user may see.{did_you_mean(n, engines)}"
                for n in lacking
            ),
            next_step=f"Correct {key}.tables.<table>.name, or GRANT SELECT, LOCK TABLES on the "
            "database to the user.",
        )
    for name in names:
        engine = engines[name]
        if engine is None or engine.lower() != "innodb":
            kind = "a view" if engine is None else f"of the engine {engine}"
            raise ConfigurationError(
                f"{shown}: {name} is {kind}, and only tables of InnoDB have snapshots",
                next_step="Read the tables beneath it, or a copy of it in a table of InnoDB.",
            )
    doubles = sorted({n for n in names if names.count(n) > 1})
    if doubles:
        raise ConfigurationError(
            f"{key}.tables: two of them are table {doubles[0]!r} of the database",
            next_step="Read it once.",
        )


def mysql_table(session: MysqlSession, name: str) -> MysqlTable:
    """The table as the session sees it. It must be there."""
    schema = session.database.address.database
    where = f"table_schema = {literal(schema)} AND table_name = {literal(name)}"
    columns = tuple(
        MysqlColumn(str(column), str(kind).lower(), str(declared))
        for column, kind, declared in session.rows(
            "SELECT column_name, data_type, column_type FROM information_schema.columns"  # noqa: S608
            f" WHERE {where} ORDER BY ordinal_position"
        )
    )
    parts: dict[str, list[str] | None] = {}
    for index, column, sub_part, nullable in session.rows(
        "SELECT index_name, column_name, sub_part, nullable FROM information_schema.statistics"  # noqa: S608
        f" WHERE {where} AND non_unique = 0"
        " ORDER BY index_name = 'PRIMARY' DESC, index_name, seq_in_index"
    ):
        whole = column is not None and sub_part is None and nullable != "YES"
        earlier = parts.setdefault(str(index), [])
        parts[str(index)] = [*earlier, str(column)] if whole and earlier is not None else None
    usable = [(index, names) for index, names in parts.items() if names]
    index, key = usable[0] if usable else (None, [])
    return MysqlTable(name, f"{quoted(schema)}.{quoted(name)}", columns, tuple(key), index)
