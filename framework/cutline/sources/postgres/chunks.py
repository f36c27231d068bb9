"""Chunks: the parts in which a table is read, which together are the table, each row in one.

Ranges of a key have their bounds from a sample. The server itself puts the bounds in order, by the
key's type and collation, and compares rows with them: nothing here knows how texts sort. The first
range and the last are open, and a key has no nulls, so that ascending bounds leave no gap.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from cutline.errors import RunFailed
from cutline.sources.postgres.catalog import CatalogTable
from cutline.sources.postgres.database import Session
from cutline.sql.standard import literal, quoted

_SAMPLED = 200
"""Sampled rows per chunk: the more, the more even the chunks."""
_MOST_SAMPLED = 200_000
_TID_RANGES = 140_000
"""The version since which the server reads a range of places without reading the whole heap."""

By = Literal["whole", "key", "place"]


@dataclass(frozen=True)
class Chunk:
    """A part of a table: a condition on the rows of a table, or of one of its heaps.

    `relation` is the quoted name that stands behind FROM.
    """

    relation: str
    condition: str = "true"


@dataclass(frozen=True)
class ChunkPlan:
    """All chunks of a table, in order, and what they are ranges of."""

    by: By
    columns: tuple[str, ...]
    chunks: tuple[Chunk, ...]
    bounds: tuple[tuple[str, ...], ...] = ()


def plan_chunks(
    session: Session,
    table: CatalogTable,
    chunk_rows: int,
    earlier: Sequence[Sequence[str]] | None = None,
) -> ChunkPlan:
    """The chunks of a table of about `chunk_rows` rows each.

    `earlier` are bounds of the key's ranges to take again; null to sample new ones.

    By ranges of the key; without one by places in the heap, for each heap apart, for places of two
    heaps may be equal. A view, and a small table, is one chunk. RunFailed if the server's order of
    the bounds contradicts itself.
    """
    wanted = -(-table.rows // chunk_rows)
    if not table.heaps or (wanted <= 1 and not earlier and (table.key or len(table.heaps) == 1)):
        return ChunkPlan("whole", (), (Chunk(table.sql_name),))
    if table.key:
        bounds = _bounds(session, table, wanted) if earlier is None else earlier
        _refuse_unordered(session, table, bounds)
        return key_ranges(table, bounds)
    return _places(session, table, chunk_rows)


def key_ranges(table: CatalogTable, bounds: Sequence[Sequence[str]]) -> ChunkPlan:
    """The ranges of the key between ascending bounds, each a text per column of the key."""
    casts = [table.column(n).declared for n in table.key]
    rows = [
        ", ".join(f"{literal(v)}::{cast}" for v, cast in zip(bound, casts, strict=True))
        for bound in bounds
    ]
    key = ", ".join(map(quoted, table.key))
    if len(table.key) > 1:
        key, rows = f"({key})", [f"({row})" for row in rows]
    lower = [[], *([f"{key} >= {row}"] for row in rows)]
    upper = [*([f"{key} < {row}"] for row in rows), []]
    conditions = [" AND ".join([*a, *b]) or "true" for a, b in zip(lower, upper, strict=True)]
    chunks = tuple(Chunk(table.sql_name, condition) for condition in conditions)
    return ChunkPlan("key", table.key, chunks, tuple(tuple(bound) for bound in bounds))


def _bounds(session: Session, table: CatalogTable, wanted: int) -> list[tuple[str, ...]]:
    """At most `wanted - 1` keys of the table, ascending and each once, from a sample of it."""
    if wanted <= 1:
        return []
    sampled = min(_SAMPLED * wanted, _MOST_SAMPLED)
    share = min(100.0, 100.0 * sampled / max(table.rows, 1))
    key = ", ".join(map(quoted, table.key))
    texts = ", ".join(f"{quoted(n)}::text" for n in table.key)
    return session.rows(
        f"SELECT {texts} FROM (SELECT {key}, row_number() OVER (ORDER BY {key}) AS place,"  # noqa: S608
        f" count(*) OVER () AS sampled FROM (SELECT DISTINCT {key} FROM {table.sql_name}"
        f" TABLESAMPLE SYSTEM ({share})) AS keys) AS numbered"
        f" WHERE place > 1 AND place * {wanted} / (sampled + 1)"
        f" > (place - 1) * {wanted} / (sampled + 1) ORDER BY place",
        doing=f"bounds of the key of {table.name} could not be sampled",
    )


def _refuse_unordered(
    session: Session, table: CatalogTable, bounds: Sequence[Sequence[str]]
) -> None:
    """RunFailed unless each bound is less than the next as the server compares the key's values."""
    if len(bounds) < 2:
        return
    casts = [table.column(n).declared for n in table.key]
    rows = ", ".join(
        "(" + ", ".join([str(place), *map(literal, bound)]) + ")"
        for place, bound in enumerate(bounds)
    )
    names = ", ".join(f"k{i}" for i in range(len(casts)))
    # The column itself, of no row, gives its collation to the bounds.
    columns = ", ".join(map(quoted, table.key))
    typed = ", ".join(f"k{i}::{cast}" for i, cast in enumerate(casts))
    following = ", ".join(
        f"lead({quoted(n)}) OVER (ORDER BY place) AS n{i}" for i, n in enumerate(table.key)
    )
    compared = ", ".join(f"n{i}" for i in range(len(casts)))
    (ascending,) = session.row(
        f"SELECT bool_and(({columns}) < ({compared})) FROM (SELECT {columns}, {following} FROM"  # noqa: S608
        f" (SELECT {columns}, 0 AS place FROM {table.sql_name} WHERE false UNION ALL"
        f" SELECT {typed}, place FROM (VALUES {rows}) AS bound (place, {names})) AS typed)"
        " AS pairs WHERE n0 IS NOT NULL"
    )
    if ascending is not True:
        raise RunFailed(
            f"{session.database.shown}: the key of table {table.name} has no one order: bounds "
            "that the server sorted are not ascending where it compares them",
            next_step=f"Look for a damaged collation: REINDEX TABLE {table.sql_name}, then run the "
            "same command again.",
        )


def _places(session: Session, table: CatalogTable, chunk_rows: int) -> ChunkPlan:
    chunks: list[Chunk] = []
    pages = sum(heap.pages for heap in table.heaps)
    a_chunk = max(1, pages * chunk_rows // max(table.rows, 1))
    by_range = session.connection.info.server_version >= _TID_RANGES
    for heap in table.heaps:
        starts = range(a_chunk, heap.pages, a_chunk) if by_range else range(0)
        bounds = [f"'({page},0)'::tid" for page in starts]
        lower = ["", *(f"ctid >= {bound}" for bound in bounds)]
        upper = [*(f"ctid < {bound}" for bound in bounds), ""]
        for low, high in zip(lower, upper, strict=True):
            condition = " AND ".join(filter(None, (low, high))) or "true"
            chunks.append(Chunk(f"ONLY {heap.name}", condition))
    return ChunkPlan("place", ("ctid",), tuple(chunks))
