"""Change files as Debezium's PostgreSQL connector writes them, and the log that they come from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cutline_translators.estate.chance import Bools
from cutline_translators.estate.columns import concat_text, json_object, json_row
from cutline_translators.estate.moments import EXTRACT, Ints

_LOG_START = 24_000_000_000
_ROW_BYTES, _COMMIT_BYTES, _GAP = 96, 48, 10_000
_FIRST_TRANSACTION = 700_000
_BEGUN_BEFORE = 3


@dataclass(frozen=True)
class Places:
    """The place of each row change in the write-ahead log: one per row, in commit order.

    `transaction` counts from 0 in commit order, `xid` is its id, `commit` the time of its commit in
    seconds since 1970. `last_commit` is the position of the commit before it, 0 for the first.
    `visible` is the snapshot of the extract, as PostgreSQL's `pg_current_snapshot()` writes it.
    """

    transaction: Ints
    xid: Ints
    commit: Ints
    row_lsn: Ints
    last_commit: Ints
    visible: str


def log_places(rows_each: Ints, commit: Ints) -> Places:
    """The places of the rows of transactions that come in commit order.

    `rows_each` is the number of rows that a transaction changed, `commit` the time of its commit.
    The first one to commit after the extract began before it: its id is lower than that of some
    visible ones, and it was in progress at the extract.
    """
    first_row = np.cumsum(rows_each) - rows_each
    transaction = np.repeat(np.arange(len(rows_each)), rows_each)
    rows = np.arange(len(transaction))
    lsn = _LOG_START + rows * _ROW_BYTES + transaction * _COMMIT_BYTES
    visible = int(np.count_nonzero(commit < EXTRACT))
    hidden = transaction >= visible
    point = int(lsn[~hidden].max(initial=_LOG_START)) + 2 * _ROW_BYTES
    lsn[hidden] += _GAP
    torn = transaction == visible
    last_row = first_row + rows_each - 1
    committed = lsn[last_row] + _COMMIT_BYTES
    last_commit = np.concatenate([[0], committed[:-1]])[transaction]
    lsn[torn] = point - _ROW_BYTES + np.arange(np.count_nonzero(torn))
    ids, snapshot = _ids(len(rows_each), visible)
    return Places(transaction, ids[transaction], commit[transaction], lsn, last_commit, snapshot)


def _ids(transactions: int, visible: int) -> tuple[Ints, str]:
    """The ids of transactions in commit order, and the snapshot that sees the first `visible`."""
    ids = _FIRST_TRANSACTION + np.arange(transactions)
    if visible == transactions:
        after = _FIRST_TRANSACTION + visible
        return ids, f"{after}:{after}:"
    begun_before = min(_BEGUN_BEFORE, visible)
    torn = int(ids[visible]) - begun_before
    ids[visible - begun_before : visible] += 1
    ids[visible] = torn
    return ids, f"{torn}:{_FIRST_TRANSACTION + visible + 1}:{torn}"


def change_documents(
    source: str,
    table: str,
    log: Places,
    rows: Ints,
    before: pa.Table,
    after: pa.Table,
    created: Bools,
    deleted: Bools | None = None,
) -> pa.Array:
    """One JSON document per changed row of a table; `rows` are their places in the log.

    The image before a created row is not read, nor the image after a deleted one.
    """

    def text(values: Ints) -> pa.Array:
        return pa.array(values).cast(pa.string())

    removed = pa.array(np.zeros(len(rows), dtype=np.bool_) if deleted is None else deleted)
    new = pa.array(created)
    transaction, last = log.transaction[rows], log.last_commit[rows]
    commit_ms = log.commit[rows] * 1000 + transaction % 1000
    row_lsn = text(log.row_lsn[rows])
    last_commit = pc.if_else(pa.array(last > 0), concat_text('\\"', text(last), '\\"'), "null")
    origin = json_object(
        {
            "version": '"3.4.0.Final"',
            "connector": '"postgresql"',
            "name": f'"{source}"',
            "ts_ms": text(commit_ms),
            "snapshot": '"false"',
            "db": f'"{source}"',
            "sequence": concat_text('"[', last_commit, ',\\"', row_lsn, '\\"]"'),
            "schema": '"public"',
            "table": f'"{table}"',
            "txId": text(log.xid[rows]),
            "lsn": row_lsn,
            "xmin": "null",
        }
    )
    return json_object(
        {
            "before": pc.if_else(new, "null", json_row(before)),
            "after": pc.if_else(removed, "null", json_row(after)),
            "source": origin,
            "transaction": "null",
            "op": pc.if_else(new, '"c"', pc.if_else(removed, '"d"', '"u"')),
            "ts_ms": text(commit_ms + 250),
        }
    )
