"""What the database's catalog says of a table: its columns, its key, its heaps, its size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cutline.errors import ConfigurationError, did_you_mean
from cutline.sources.postgres.database import Session

_FIRST_USER_OID = 16384
_PAGE = 8192
_ROW_BYTES = 120
"""About what a row takes, for tables that were never analysed."""


@dataclass(frozen=True)
class CatalogColumn:
    """A column. `type_name` is the catalog's short name of the type beneath any domains (int4),
    `declared` the type with its length or precision as SQL writes it.
    """

    name: str
    number: int
    type_name: str
    declared: str
    builtin: bool


@dataclass(frozen=True)
class Heap:
    """One physical table: a table without parts, or a leaf of a partitioned one."""

    name: str
    oid: int
    pages: int


@dataclass(frozen=True)
class CatalogTable:
    """A table as the catalog shows it.

    `sql_name` is its quoted name with the schema. `key` are the columns of a unique index without
    nulls, the primary key first of all; empty where there is none. `key_is_unique` is false where
    tables inherit from this one, whose rows the index does not cover. `heaps` is empty for a view.
    """

    name: str
    sql_name: str
    oid: int
    columns: tuple[CatalogColumn, ...]
    key: tuple[str, ...]
    key_is_unique: bool
    heaps: tuple[Heap, ...]
    rows: int

    def column(self, name: str) -> CatalogColumn:
        """The column of that name."""
        return next(c for c in self.columns if c.name == name)


def refuse_missing(session: Session, schema: str, names: list[str], key: str) -> None:
    """ConfigurationError for tables that are not there, or whose rows no snapshot can hold still.

    `key` is the source's in cutline.yaml.
    """
    kinds = dict(
        session.rows(
            "SELECT c.relname, c.relkind::text FROM pg_class c"
            " JOIN pg_namespace n ON n.oid = c.relnamespace"
            " WHERE n.nspname = %s AND c.relkind IN ('r', 'p', 'v', 'm', 'f')",
            [schema],
        )
    )
    missing = [n for n in names if n not in kinds]
    if missing:
        shown = session.database.shown
        raise ConfigurationError(
            "\n".join(
                f"{shown}: there is no table {n!r} in schema {schema!r}.{did_you_mean(n, kinds)}"
                for n in missing
            ),
            next_step=f"Correct {key}.schema or {key}.tables.<table>.name, or give the user USAGE "
            "on the schema.",
        )
    for name in names:
        if kinds[name] in ("m", "f"):
            kind = {"m": "a materialized view", "f": "a foreign table"}[kinds[name]]
            raise ConfigurationError(
                f"{session.database.shown}: {schema}.{name} is {kind}, which no lock holds still "
                "while it is read",
                next_step="Read the tables beneath it, or a copy of it in a table.",
            )


def catalog_table(session: Session, schema: str, name: str) -> CatalogTable:
    """The table as the session's transaction sees it. It must be there."""
    oid, sql_name, kind = session.row(
        "SELECT c.oid::bigint, format('%%I.%%I', n.nspname, c.relname), c.relkind::text"
        " FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
        " WHERE n.nspname = %s AND c.relname = %s AND c.relkind IN ('r', 'p', 'v')",
        [schema, name],
    )
    heaps, rows = _heaps(session, oid)
    inherited = kind == "r" and len(heaps) > 1
    return CatalogTable(
        name,
        sql_name,
        oid,
        _columns(session, oid),
        _key(session, oid),
        not inherited,
        heaps,
        rows,
    )


def _columns(session: Session, oid: int) -> tuple[CatalogColumn, ...]:
    rows = session.rows(
        "WITH RECURSIVE beneath AS ("
        " SELECT attnum, attname, atttypid AS type, atttypmod AS modifier FROM pg_attribute"
        " WHERE attrelid = %s AND attnum > 0 AND NOT attisdropped"
        " UNION ALL SELECT b.attnum, b.attname, t.typbasetype, t.typtypmod"
        " FROM beneath b JOIN pg_type t ON t.oid = b.type AND t.typtype = 'd')"
        " SELECT b.attname, b.attnum::int, t.typname, format_type(b.type, b.modifier),"
        " t.oid < %s AND t.typtype = 'b'"
        " FROM beneath b JOIN pg_type t ON t.oid = b.type AND t.typtype <> 'd' ORDER BY b.attnum",
        [oid, _FIRST_USER_OID],
    )
    return tuple(CatalogColumn(*row) for row in rows)


def _key(session: Session, oid: int) -> tuple[str, ...]:
    rows: list[tuple[Any, ...]] = session.rows(
        "SELECT array_agg(a.attname::text ORDER BY k.place) FROM pg_index i"
        " CROSS JOIN unnest(i.indkey::int2[]) WITH ORDINALITY AS k(number, place)"
        " JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number"
        " WHERE i.indrelid = %s AND i.indisunique AND i.indisvalid AND i.indimmediate"
        " AND i.indpred IS NULL AND i.indexprs IS NULL AND k.place <= i.indnkeyatts"
        " GROUP BY i.indexrelid, i.indisprimary, i.indnkeyatts HAVING bool_and(a.attnotnull)"
        " ORDER BY i.indisprimary DESC, i.indnkeyatts, i.indexrelid LIMIT 1",
        [oid],
    )
    return tuple(rows[0][0]) if rows else ()


def _heaps(session: Session, oid: int) -> tuple[tuple[Heap, ...], int]:
    """The physical tables, and about how many rows they have together."""
    rows = session.rows(
        "WITH RECURSIVE tree AS (SELECT %s::oid AS oid UNION"
        " SELECT i.inhrelid FROM pg_inherits i JOIN tree ON tree.oid = i.inhparent)"
        " SELECT format('%%I.%%I', n.nspname, c.relname), c.oid::bigint, c.relkind::text,"
        " pg_relation_size(c.oid), greatest(c.reltuples, -1)::bigint"
        " FROM tree JOIN pg_class c ON c.oid = tree.oid"
        " JOIN pg_namespace n ON n.oid = c.relnamespace ORDER BY c.oid",
        [oid],
    )
    foreign = [name for name, _, kind, _, _ in rows if kind == "f"]
    if foreign:
        raise ConfigurationError(
            f"{session.database.shown}: {foreign[0]} is a partition on another server, which no "
            "lock holds still while it is read",
            next_step="Detach it, or read it as a source of its own.",
        )
    real = [(name, heap, size, t) for name, heap, kind, size, t in rows if kind == "r"]
    heaps = tuple(Heap(name, heap, -(-size // _PAGE)) for name, heap, size, _ in real)
    return heaps, sum(t if t > 0 else size // _ROW_BYTES for _, _, size, t in real)
