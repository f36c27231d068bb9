"""The ERP's change file, as Debezium's PostgreSQL connector writes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cutline_translators.estate.chance import Bools
from cutline_translators.estate.columns import append_lines
from cutline_translators.estate.debezium import Places, change_documents, log_places
from cutline_translators.estate.moments import CUT, EXTRACT, Ints
from cutline_translators.retail.estate.catalogue import Catalogue
from cutline_translators.retail.estate.rows import (
    OrderLines,
    Orders,
    concat_rows,
    lines_table,
    orders_table,
    take_rows,
)
from cutline_translators.retail.estate.steps import OrderStep


@dataclass(frozen=True)
class Log:
    """All row changes in commit order, and their places in the write-ahead log.

    `orders` and `lines` are the places of order rows and line rows among all rows. Headers come
    before the lines of the same transaction.
    """

    orders_before: Orders
    orders_after: Orders
    lines_before: OrderLines
    lines_after: OrderLines
    orders: Ints
    lines: Ints
    created: Bools
    places: Places


def log_of_steps(steps: Sequence[OrderStep]) -> Log:
    """The log of all steps; steps of one order that commit in one second keep their order."""
    headers = [len(s.orders_after.number) for s in steps]
    touched = [len(s.lines_after.number) for s in steps]
    step_index = np.arange(len(steps))
    offset = np.repeat(np.cumsum(headers) - headers, touched)
    number = np.concatenate([s.orders_after.number for s in steps])
    commit = np.concatenate([s.commit for s in steps])
    created = np.repeat([s.created for s in steps], headers)
    order = np.lexsort((np.repeat(step_index, headers), number, commit))
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    owner = np.concatenate([s.lines_after.owner for s in steps]) + offset
    line_no = np.concatenate([s.lines_after.line for s in steps])
    line_order = np.lexsort((line_no, place[owner]))
    of_line = place[owner[line_order]]

    rows_each = 1 + np.bincount(of_line, minlength=len(order))
    first_row = np.cumsum(rows_each) - rows_each
    log = log_places(rows_each, commit[order])
    rows = np.arange(len(log.transaction))
    line_rows = np.setdiff1d(rows, first_row, assume_unique=True)
    return Log(
        orders_before=take_rows(concat_rows([s.orders_before for s in steps]), order),
        orders_after=take_rows(concat_rows([s.orders_after for s in steps]), order),
        lines_before=take_rows(concat_rows([s.lines_before for s in steps]), line_order),
        lines_after=take_rows(concat_rows([s.lines_after for s in steps]), line_order),
        orders=first_row,
        lines=line_rows,
        created=created[order][log.transaction],
        places=log,
    )


def images_after_extract(log: Log, items: Catalogue) -> tuple[pa.Table, pa.Table]:
    """The images of orders and lines committed between extract and cut, in log order."""
    commit = log.places.commit
    in_window = (commit > EXTRACT) & (commit <= CUT)
    return (
        orders_table(take_rows(log.orders_after, in_window[log.orders])),
        lines_table(take_rows(log.lines_after, in_window[log.lines]), items),
    )


def write_changes(path: Path, log: Log, items: Catalogue) -> None:
    """Write the change file: one JSON document a line, in commit order."""
    texts = [
        change_documents(
            "erp",
            "orders",
            log.places,
            log.orders,
            orders_table(log.orders_before),
            orders_table(log.orders_after),
            log.created[log.orders],
        ),
        change_documents(
            "erp",
            "order_lines",
            log.places,
            log.lines,
            lines_table(log.lines_before, items),
            lines_table(log.lines_after, items),
            log.created[log.lines],
        ),
    ]
    order = np.argsort(np.concatenate([log.orders, log.lines]))
    path.unlink(missing_ok=True)
    append_lines(path, pc.take(pa.concat_arrays(texts), pa.array(order)))
