"""The condition of a slice, in PostgreSQL's SQL: what it may ask, and which tables it sees."""

from __future__ import annotations

from cutline.errors import ConfigurationError
from cutline.sources.postgres.database import Session
from cutline.sources.predicate import predicate_error
from cutline.sources.predicate_text import refuse_predicate_text
from cutline.sources.used_tables import UsedTable, mentions
from cutline.sql.postgres import DIALECT

_NOT_OF_A_ROW = """
random random_normal setseed gen_random_uuid now current_timestamp localtimestamp current_date
current_time localtime clock_timestamp statement_timestamp transaction_timestamp timeofday
nextval currval lastval setval current_user session_user current_role user pg_backend_pid
pg_sleep pg_sleep_for pg_sleep_until txid_current pg_current_xact_id current_setting set_config
pg_read_file pg_read_binary_file pg_ls_dir lo_get dblink ctid xmin xmax cmin cmax
"""
_REFUSED_WORDS = frozenset(_NOT_OF_A_ROW.split())


def refuse_condition(session: Session, table: UsedTable, sql_name: str, region: str) -> None:
    """ConfigurationError, naming table and predicate, for one that the server does not understand
    or that would say different things of the same row.
    """
    if table.predicate is None:
        return
    refuse_predicate_text(table, DIALECT, _REFUSED_WORDS.__contains__)
    condition = DIALECT.with_region(table.predicate, region)
    import psycopg

    try:
        # Prepared, for the server takes one statement then, and not two.
        session.connection.execute(
            f"SELECT 1 FROM {sql_name} WHERE (\n{condition}\n) LIMIT 0".encode(),  # noqa: S608
            prepare=True,
        )
    except psycopg.OperationalError as error:
        raise session.database.failure(
            f"{table.config_key}.region could not be tried", error
        ) from None
    except psycopg.Error as error:
        raise predicate_error(table, session.database.clean(str(error))) from None


def tables_within(
    session: Session, schema: str, tables: tuple[UsedTable, ...], key: str
) -> list[str]:
    """The tables to lock: those to read, and those of the schema that a predicate may mention.

    ConfigurationError for two tables of a contract that are one in the database.
    """
    names = [t.database_name for t in tables]
    doubles = sorted({n for n in names if names.count(n) > 1})
    if doubles:
        raise ConfigurationError(
            f"{key}.tables: two of them are table {doubles[0]!r} of the database",
            next_step="Read it once.",
        )
    conditions = " ".join(t.predicate for t in tables if t.predicate)
    return list(dict.fromkeys([*names, *mentioned_tables(session, schema, conditions)]))


def mentioned_tables(session: Session, schema: str, sql: str) -> list[str]:
    """The tables and views of a schema that the SQL may mention, and that the user may read."""
    readable = session.rows(
        "SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
        " WHERE n.nspname = %s AND c.relkind IN ('r', 'p', 'v')"
        " AND has_table_privilege(c.oid, 'SELECT') ORDER BY 1",
        [schema],
    )
    return [name for (name,) in readable if mentions(sql, name)]
