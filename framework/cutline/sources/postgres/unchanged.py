"""Whether a chunk that an earlier read left holds the rows that a new snapshot shows.

A row version carries the transaction that wrote it. If all that the new snapshot shows in the
chunk's range were written by transactions that had ended before the old snapshot was taken, then
the old one showed them, too; and if they are as many as were read then, it showed no others. That
costs the server a look at the range, and no row is sent.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from cutline.positions import PgSnapshot
from cutline.positions.transactions import EPOCH
from cutline.sources.postgres.chunk_store import StoredChunk
from cutline.sources.postgres.chunks import Chunk
from cutline.sources.postgres.table_read import TableRead
from cutline.sql.postgres import DIALECT

_TOO_LONG_AGO = 2**30
"""Transactions since an old snapshot. From twice as many on, ids of 32 bits would begin again."""
_CALL = re.compile(r"([A-Za-z_]\w*)\s*\(")
_NO_CALLS = frozenset({"in", "and", "or", "not", "any", "all", "lower", "upper", "coalesce"})


def may_be_kept(table_read: TableRead) -> bool:
    """Whether chunks of the table can be told unchanged at all.

    Not by places in a heap, because those move when it is written anew; not with types of users'
    own, whose labels change without a row; not where the predicate may look beyond the row.
    """
    if table_read.plan.by == "place" or not table_read.catalog.heaps:
        return False
    if not all(request.column.builtin for request in table_read.requests):
        return False
    predicate = table_read.predicate or ""
    calls = {name.lower() for name in _CALL.findall(predicate)}
    return "select" not in DIALECT.words(predicate) and calls <= _NO_CALLS


def is_unchanged(
    stored: StoredChunk,
    chunk: Chunk,
    where: str,
    now: str,
    count: Callable[[str], tuple[int, int]],
) -> bool:
    """Whether the snapshot `now` shows in the chunk just the rows that were read then.

    `where` is the chunk's whole condition. `count` gives the two numbers of a query.
    """
    before, current = PgSnapshot.parse(stored.visible), PgSnapshot.parse(now)
    if not before.xmax <= current.xmax < before.xmax + _TOO_LONG_AGO:
        return False
    # Nearest to the old snapshot: a version that is much older than that may be taken for new, and
    # then its chunk is read again.
    near = f"{before.xmax - before.xmax % EPOCH} + xmin::text::bigint"
    half = EPOCH // 2
    wide = (
        f"CASE WHEN {near} > {before.xmax + half} THEN {near} - {EPOCH}"
        f" WHEN {near} < {before.xmax - half} THEN {near} + {EPOCH} ELSE {near} END"
    )
    rows, written_since = count(
        f"SELECT count(*), count(*) FILTER (WHERE {wide} >= {before.xmin})"  # noqa: S608
        f" FROM {chunk.relation} WHERE {where}"
    )
    return rows == stored.rows and not written_since
