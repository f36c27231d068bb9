"""The ERP's change file, as Debezium's PostgreSQL connector writes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cutline_translators.retail.estate.catalogue import Catalogue
from cutline_translators.retail.estate.chance import Bools
from cutline_translators.retail.estate.columns import append_lines, joined, json_object, json_row
from cutline_translators.retail.estate.moments import CUT, EXTRACT, Ints
from cutline_translators.retail.estate.rows import (
    Lines,
    Orders,
    lines_table,
    orders_table,
    taken,
    together,
)
from cutline_translators.retail.estate.steps import Step

_LOG_START = 24_000_000_000
_ROW_BYTES, _COMMIT_BYTES, _GAP = 96, 48, 10_000
_FIRST_TRANSACTION = 700_000


@dataclass(frozen=True)
class Log:
    """All row changes in commit order, and their places in the write-ahead log.

    `orders` and `lines` are the places of order rows and line rows among all rows. Headers come
    before the lines of the same transaction. `consistent_point` is where the extract's snapshot
    was exported: what committed before it is visible there.
    """

    orders_before: Orders
    orders_after: Orders
    lines_before: Lines
    lines_after: Lines
    orders: Ints
    lines: Ints
    commit: Ints
    created: Bools
    transaction: Ints
    row_lsn: Ints
    commit_lsn: Ints
    consistent_point: int


def logged(steps: Sequence[Step]) -> Log:
    """The log of all steps; steps of one order that commit in one second keep their order."""
    headers = [len(s.orders_after.number) for s in steps]
    touched = [len(s.lines_after.number) for s in steps]
    which = np.arange(len(steps))
    offset = np.repeat(np.cumsum(headers) - headers, touched)
    number = np.concatenate([s.orders_after.number for s in steps])
    commit = np.concatenate([s.commit for s in steps])
    created = np.repeat([s.created for s in steps], headers)
    order = np.lexsort((np.repeat(which, headers), number, commit))
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    owner = np.concatenate([s.lines_after.owner for s in steps]) + offset
    line_no = np.concatenate([s.lines_after.line for s in steps])
    line_order = np.lexsort((line_no, place[owner]))
    of_line = place[owner[line_order]]

    rows_each = 1 + np.bincount(of_line, minlength=len(order))
    first_row = np.cumsum(rows_each) - rows_each
    transaction = np.repeat(np.arange(len(order)), rows_each)
    rows = np.arange(len(transaction))
    line_rows = np.setdiff1d(rows, first_row, assume_unique=True)
    by_transaction = commit[order]
    lsn = _LOG_START + rows * _ROW_BYTES + transaction * _COMMIT_BYTES
    visible = int(np.count_nonzero(by_transaction < EXTRACT))
    hidden = transaction >= visible
    point = int(lsn[~hidden].max(initial=_LOG_START)) + 2 * _ROW_BYTES
    lsn[hidden] += _GAP
    # The first transaction after the snapshot had begun to write before it.
    torn = transaction == visible
    last_row = first_row + rows_each - 1
    commit_lsn = (lsn[last_row] + _COMMIT_BYTES)[transaction]
    lsn[torn] = point - _ROW_BYTES + np.arange(np.count_nonzero(torn))
    return Log(
        orders_before=taken(together([s.orders_before for s in steps]), order),
        orders_after=taken(together([s.orders_after for s in steps]), order),
        lines_before=taken(together([s.lines_before for s in steps]), line_order),
        lines_after=taken(together([s.lines_after for s in steps]), line_order),
        orders=first_row,
        lines=line_rows,
        commit=by_transaction[transaction],
        created=created[order][transaction],
        transaction=transaction,
        row_lsn=lsn,
        commit_lsn=commit_lsn,
        consistent_point=point,
    )


def images_at_the_cut(log: Log, items: Catalogue) -> tuple[pa.Table, pa.Table]:
    """Images of orders and lines that the extract does not show and the cut does, in log order."""
    known = (log.commit > EXTRACT) & (log.commit <= CUT)
    return (
        orders_table(taken(log.orders_after, known[log.orders])),
        lines_table(taken(log.lines_after, known[log.lines]), items),
    )


def write_changes(path: Path, log: Log, items: Catalogue) -> None:
    """The change file: one JSON document a line, in commit order."""
    texts = [
        _documents(
            log,
            log.orders,
            "orders",
            orders_table(log.orders_before),
            orders_table(log.orders_after),
        ),
        _documents(
            log,
            log.lines,
            "order_lines",
            lines_table(log.lines_before, items),
            lines_table(log.lines_after, items),
        ),
    ]
    order = np.argsort(np.concatenate([log.orders, log.lines]))
    path.unlink(missing_ok=True)
    append_lines(path, pc.take(pa.concat_arrays(texts), pa.array(order)))


def _documents(log: Log, rows: Ints, name: str, before: pa.Table, after: pa.Table) -> pa.Array:
    def text(values: Ints) -> pa.Array:
        return pa.array(values).cast(pa.string())

    created = pa.array(log.created[rows])
    commit_ms = log.commit[rows] * 1000 + log.transaction[rows] % 1000
    commit_lsn, row_lsn = text(log.commit_lsn[rows]), text(log.row_lsn[rows])
    source = json_object(
        {
            "version": '"3.4.0.Final"',
            "connector": '"postgresql"',
            "name": '"erp"',
            "ts_ms": text(commit_ms),
            "snapshot": '"false"',
            "db": '"erp"',
            "sequence": joined('"[\\"', commit_lsn, '\\",\\"', row_lsn, '\\"]"'),
            "schema": '"public"',
            "table": f'"{name}"',
            "txId": text(_FIRST_TRANSACTION + log.transaction[rows]),
            "lsn": row_lsn,
            "xmin": "null",
        }
    )
    return json_object(
        {
            "before": pc.if_else(created, "null", json_row(before)),
            "after": json_row(after),
            "source": source,
            "transaction": "null",
            "op": pc.if_else(created, '"c"', '"u"'),
            "ts_ms": text(commit_ms + 250),
        }
    )
