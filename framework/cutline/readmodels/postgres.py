"""Tables of states in PostgreSQL, filled and read by COPY, whose text format our lines are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import Connection, text

from cutline.readmodels.access import EVENT_COLUMNS, Access, Dependant
from cutline.readmodels.model import ReadModelColumn
from cutline.sql.standard import literal, quoted

_TYPES = {
    "boolean": "boolean",
    "tinyint": "smallint",
    "smallint": "smallint",
    "int": "integer",
    "bigint": "bigint",
    "date": "date",
    "timestamp": "timestamptz",
    "timestamp_ntz": "timestamp",
}
_WIDEST = "0001-01-01", "10000-01-01"
_OF_CLASS = "c.relname = :name AND n.nspname = current_schema()"
_CLASSES = "pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace"


class PostgresAccess(Access):
    """The SQL of PostgreSQL."""

    subject_type = 'text COLLATE "C"'
    false = "false"

    def column_type(self, type: str) -> str:
        if type.startswith("decimal"):
            return type.replace("decimal", "numeric")
        return _TYPES.get(type, "text")

    def text_sql(self, column: ReadModelColumn) -> str:
        """A moment outside of the years 1 to 9999, or an infinite one, shows it."""
        name = quoted(column.name)
        first, end = map(literal, _WIDEST)
        match column.type:
            case "boolean":
                return f"CASE WHEN {name} THEN '1' WHEN NOT {name} THEN '0' END"
            case "timestamp":
                moment, form = f"{name} AT TIME ZONE 'UTC'", 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'
            case "timestamp_ntz":
                moment, form = name, 'YYYY-MM-DD"T"HH24:MI:SS.US'
            case _:
                return f"{name}::text"
        return (
            f"CASE WHEN {moment} >= {first} AND {moment} < {end} "
            f"THEN to_char({moment}, {literal(form)}) ELSE {name}::text END"
        )

    def text_literal(self, value: bytes) -> str:
        return literal(value.decode())

    def insert_lines(
        self,
        connection: Connection,
        table: str,
        columns: Sequence[ReadModelColumn],
        lines: Sequence[bytes],
    ) -> None:
        statement = f"COPY {quoted(table)} ({_names(columns)}) FROM STDIN"
        with _driver(connection).cursor() as cursor, cursor.copy(statement) as copy:
            copy.write(b"".join(line + b"\n" for line in lines))

    def upsert_lines(
        self,
        connection: Connection,
        table: str,
        columns: Sequence[ReadModelColumn],
        lines: Sequence[bytes],
    ) -> None:
        """They go by way of a table that this transaction alone sees."""
        like = f"CREATE TEMP TABLE {_FED} (LIKE {quoted(table)} INCLUDING DEFAULTS)"
        self.execute(connection, f"{like} ON COMMIT DROP")
        self.insert_lines(connection, _FED, columns, lines)
        rows = f"SELECT {_names(columns)} FROM {_FED}"  # noqa: S608
        self.execute(connection, self.upsert_sql(table, columns, rows))
        self.drop_table(connection, _FED)

    def read_lines(self, connection: Connection, query: str) -> Iterator[bytes]:
        with (
            _driver(connection).cursor() as cursor,
            cursor.copy(f"COPY ({query}) TO STDOUT") as copy,
        ):
            for line in copy:
                yield bytes(line)[:-1]

    def kind(self, connection: Connection, name: str) -> Literal["table", "view", "other"] | None:
        query = text(f"SELECT c.relkind::text FROM {_CLASSES} WHERE {_OF_CLASS}")  # noqa: S608
        kind = connection.execute(query, {"name": name}).scalar()
        match kind:
            case None:
                return None
            case "r":
                return "table"
            case "v":
                return "view"
            case _:
                return "other"

    def column_names(self, connection: Connection, table: str) -> tuple[str, ...]:
        query = text(
            f"SELECT a.attname::text FROM {_CLASSES} JOIN pg_attribute AS a ON a.attrelid = c.oid "  # noqa: S608
            f"WHERE {_OF_CLASS} AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum"
        )
        return tuple(connection.execute(query, {"name": table}).scalars())

    def definition(self, connection: Connection, view: str) -> str | None:
        query = text(
            f"SELECT pg_get_viewdef(c.oid) FROM {_CLASSES} "  # noqa: S608
            f"WHERE {_OF_CLASS} AND c.relkind = 'v'"
        )
        return connection.execute(query, {"name": view}).scalar()

    def replace_view(self, connection: Connection, view: str, query: str) -> None:
        """Where the columns are others the view is made anew, and gets its rights again: those on
        columns that it has no more are lost."""
        grants = self._grants(connection, view)
        if self._can_be_replaced(connection, view, query):
            self.execute(connection, f"CREATE OR REPLACE VIEW {quoted(view)} AS {query}")
            return
        if self.kind(connection, view) is not None:
            self.drop_view(connection, view)
        self.execute(connection, f"CREATE VIEW {quoted(view)} AS {query}")
        columns = self.column_names(connection, view)
        for grant in grants:
            if grant.column is None or grant.column in columns:
                self.execute(connection, grant.sql(view))

    def dependants(self, connection: Connection, view: str) -> list[Dependant]:
        """Views and rules; what functions read is only known when they are called."""
        query = text(
            "SELECT r.ev_class::regclass::text, array_agg(DISTINCT a.attname::text) "  # noqa: S608
            f"FROM {_CLASSES} JOIN pg_depend AS d ON d.refobjid = c.oid "
            "JOIN pg_rewrite AS r ON r.oid = d.objid AND d.classid = 'pg_rewrite'::regclass "
            "JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = d.refobjsubid "
            f"WHERE {_OF_CLASS} AND r.ev_class <> c.oid AND d.refobjsubid > 0 GROUP BY 1 ORDER BY 1"
        )
        rows = connection.execute(query, {"name": view})
        return [Dependant(name, view, tuple(sorted(columns))) for name, columns in rows]

    def _can_be_replaced(self, connection: Connection, view: str, query: str) -> bool:
        """Whether PostgreSQL replaces the view: it may get columns more, and nothing else."""
        shape = text(
            "SELECT a.attname::text, format_type(a.atttypid, a.atttypmod), a.attcollation::bigint "  # noqa: S608
            f"FROM {_CLASSES} JOIN pg_attribute AS a ON a.attrelid = c.oid "
            f"WHERE {_OF_CLASS} AND c.relkind = 'v' AND a.attnum > 0 ORDER BY a.attnum"
        )
        current = connection.execute(shape, {"name": view}).all()
        if not current:
            return False
        self.execute(connection, f"CREATE VIEW {quoted(_TRIAL)} AS {query}")
        later = connection.execute(shape, {"name": _TRIAL}).all()
        self.drop_view(connection, _TRIAL)
        return later[: len(current)] == current

    def _grants(self, connection: Connection, view: str) -> list[_Grant]:
        """The rights of others on a view and on its columns, whoever granted them."""
        grantee = "CASE WHEN acl.grantee = 0 THEN 'PUBLIC' "
        grantee += "ELSE quote_ident(pg_get_userbyid(acl.grantee)) END"
        query = text(
            f"SELECT acl.privilege_type, {grantee}, rights.name, bool_or(acl.is_grantable) "  # noqa: S608
            f"FROM {_CLASSES} CROSS JOIN LATERAL ("
            "SELECT NULL AS name, 0 AS place, c.relacl AS acl UNION ALL "
            "SELECT a.attname::text, a.attnum, a.attacl FROM pg_attribute AS a "
            "WHERE a.attrelid = c.oid AND NOT a.attisdropped) AS rights "
            "CROSS JOIN LATERAL aclexplode(rights.acl) AS acl "
            f"WHERE {_OF_CLASS} AND c.relkind = 'v' AND acl.grantee <> c.relowner "
            "GROUP BY rights.place, 3, 2, 1 ORDER BY rights.place, 2, 1"
        )
        return [_Grant(*row) for row in connection.execute(query, {"name": view})]


@dataclass(frozen=True)
class _Grant:
    """A right on a view, or on one of its columns; `grantee` as SQL names him."""

    right: str
    grantee: str
    column: str | None
    is_grantable: bool

    def sql(self, view: str) -> str:
        """The statement that grants it."""
        column = "" if self.column is None else f" ({quoted(self.column)})"
        option = " WITH GRANT OPTION" if self.is_grantable else ""
        return f"GRANT {self.right}{column} ON {quoted(view)} TO {self.grantee}{option}"


_TRIAL = "cutline_read_model_trial"
"""A view that is made and dropped within one transaction, to learn its columns."""


_FED = "cutline_read_model_fed"
"""A table that is made and dropped within one transaction, for rows on their way."""


def _names(columns: Sequence[ReadModelColumn]) -> str:
    return ", ".join(quoted(c.name) for c in (*columns, *EVENT_COLUMNS))


def _driver(connection: Connection) -> Any:
    return connection.connection.driver_connection
