"""The condition of a slice, in MySQL's SQL: what it may ask, and which tables it sees."""

from __future__ import annotations

from cutline.errors import ConfigurationError
from cutline.sources.mysql.catalog import MysqlTable, readable_tables
from cutline.sources.mysql.database import MysqlSession
from cutline.sources.predicate import predicate_error
from cutline.sources.predicate_text import refuse_predicate_text
from cutline.sources.used_tables import UsedTable, mentions
from cutline.sql.mysql import DIALECT

_NOT_OF_A_ROW = """
rand uuid uuid_short sys_guid now current_timestamp localtime localtimestamp sysdate curdate
current_date curtime current_time utc_date utc_time utc_timestamp unix_timestamp sleep benchmark
connection_id last_insert_id user current_user session_user system_user current_role row_count
found_rows get_lock release_lock nextval lastval load_file into
"""
_REFUSED_WORDS = frozenset(_NOT_OF_A_ROW.split())


def refuse_mysql_condition(
    session: MysqlSession, table: UsedTable, catalog: MysqlTable, region: str
) -> None:
    """ConfigurationError, naming table and predicate, for one that the server does not understand
    or that would say different things of the same row.
    """
    if table.predicate is None:
        return
    refuse_predicate_text(
        table, DIALECT, lambda word: word in _REFUSED_WORDS or word.startswith("@")
    )
    condition = DIALECT.with_region(table.predicate, region)
    import pymysql

    sql = f"SELECT 1 FROM {catalog.sql_name} WHERE (\n{condition}\n) LIMIT 0"  # noqa: S608
    try:
        with session.connection.cursor() as cursor:
            cursor.execute(sql)
    except (pymysql.ProgrammingError, pymysql.NotSupportedError) as error:
        raise predicate_error(table, session.database.clean(str(error.args[-1]))) from None
    except (pymysql.Error, OSError) as error:
        failure = session.database.failure(f"{table.config_key}.region could not be tried", error)
        code = error.args[0] if error.args else 0
        # Errors of a statement that MySQL counts among those of its operation.
        if isinstance(error, pymysql.OperationalError) and code in (1054, 1305, 1241, 1242):
            raise predicate_error(table, session.database.clean(str(error.args[-1]))) from None
        raise failure from None


def tables_to_lock(session: MysqlSession, tables: tuple[UsedTable, ...]) -> list[str]:
    """The tables to read, and those that a predicate may mention."""
    conditions = " ".join(t.predicate for t in tables if t.predicate)
    mentioned = [name for name in readable_tables(session) if mentions(conditions, name)]
    return list(dict.fromkeys([*(t.database_name for t in tables), *mentioned]))


def mysql_predicate(table: UsedTable, region: str) -> str | None:
    """The table's condition for the region, in MySQL's SQL; null for all rows."""
    return None if table.predicate is None else DIALECT.with_region(table.predicate, region)


def refuse_no_columns(session: MysqlSession, catalog: MysqlTable) -> None:
    """ConfigurationError for a table none of whose columns the user may see."""
    if not catalog.columns:
        raise ConfigurationError(
            f"{session.database.shown}: table {catalog.name} has no column that the user may see",
            next_step="GRANT SELECT on the table to the user.",
        )
