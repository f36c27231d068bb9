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
from cutline_translators.estate.debezium import Places, documents, places
from cutline_translators.estate.moments import CUT, EXTRACT, Ints
from cutline_translators.retail.estate.catalogue import Catalogue
from cutline_translators.retail.estate.rows import (
    Lines,
    Orders,
    lines_table,
    orders_table,
    taken,
    together,
)
from cutline_translators.retail.estate.steps import Step


@dataclass(frozen=True)
class Log:
    """All row changes in commit order, and their places in the write-ahead log.

    `orders` and `lines` are the places of order rows and line rows among all rows. Headers come
    before the lines of the same transaction.
    """

    orders_before: Orders
    orders_after: Orders
    lines_before: Lines
    lines_after: Lines
    orders: Ints
    lines: Ints
    created: Bools
    places: Places


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
    log = places(rows_each, commit[order])
    rows = np.arange(len(log.transaction))
    line_rows = np.setdiff1d(rows, first_row, assume_unique=True)
    return Log(
        orders_before=taken(together([s.orders_before for s in steps]), order),
        orders_after=taken(together([s.orders_after for s in steps]), order),
        lines_before=taken(together([s.lines_before for s in steps]), line_order),
        lines_after=taken(together([s.lines_after for s in steps]), line_order),
        orders=first_row,
        lines=line_rows,
        created=created[order][log.transaction],
        places=log,
    )


def images_at_the_cut(log: Log, items: Catalogue) -> tuple[pa.Table, pa.Table]:
    """Images of orders and lines that the extract does not show and the cut does, in log order."""
    commit = log.places.commit
    known = (commit > EXTRACT) & (commit <= CUT)
    return (
        orders_table(taken(log.orders_after, known[log.orders])),
        lines_table(taken(log.lines_after, known[log.lines]), items),
    )


def write_changes(path: Path, log: Log, items: Catalogue) -> None:
    """The change file: one JSON document a line, in commit order."""
    texts = [
        documents(
            "erp",
            "orders",
            log.places,
            log.orders,
            orders_table(log.orders_before),
            orders_table(log.orders_after),
            log.created[log.orders],
        ),
        documents(
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
