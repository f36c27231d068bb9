"""Positions of changes in the logs of databases, as Debezium's connectors write them.

PostgreSQL: `source.sequence` holds the LSN of the last commit before the transaction, null for the
first, and the row's own LSN; it does not hold the transaction's commit. PostgreSQL sends whole
transactions in the order of their commits, so these two and then the row's number in its
transaction, where there is one, sort as commits do. Rows that one record of the log inserts share
these; they have different keys.
"""

from __future__ import annotations

from cutline.positions import LogKind
from cutline.sources.changes.images import text
from cutline.sources.changes.position_sql import TOPIC_POSITION, ZERO, position


def change_position(log: LogKind) -> str:
    """SQL for the position of a change; null for rows that an incremental snapshot read again."""
    sql = _PLACES[log]
    if log == "kafka":
        return sql
    return f"CASE WHEN coalesce({text('source', 'snapshot')}, '') <> 'incremental' THEN {sql} END"


def transaction_id(log: LogKind) -> str:
    """SQL for the id that all rows of a transaction share; null without one."""
    return _TRANSACTIONS.get(log, _WHOLE)


def _lsn(name: str) -> str:
    """SQL for SQL Server's `0000002c:00000a90:0003` as 20 hexadecimal digits."""
    value = text("source", name)
    shape = r"^[0-9a-fA-F]{8}:[0-9a-fA-F]{8}:[0-9a-fA-F]{4}$"
    return f"CASE WHEN {value} RLIKE '{shape}' THEN replace({value}, ':', '') END"


_SEQUENCE = r'^\s*\[\s*(?:null|"?([0-9]{1,20})"?)\s*,\s*(?:null|"?([0-9]{1,20})"?)\s*\]\s*$'


def _in_sequence(number: int) -> str:
    return f"nullif(regexp_extract({text('source', 'sequence')}, r'{_SEQUENCE}', {number}), '')"


_TOTAL_ORDER = text("transaction", "total_order")
_ALONE = f"coalesce({_TOTAL_ORDER}, {ZERO})"
# Where rows of a transaction share a place in the log, only their place in the file shows
# which came first; the price is that a redelivered change then has two positions.
_SHARED = f"coalesce({_TOTAL_ORDER}, CAST(place AS string))"
_ROW = f"coalesce({_in_sequence(2)}, {text('source', 'lsn')})"
_FILE = f"nullif(regexp_extract({text('source', 'file')}, '([0-9]+)$', 1), '')"
_SCN = text("source", "scn")
_SECONDS = f"CAST(try_cast({text('source', 'ts_ms')} AS bigint) DIV 1000 AS string)"

_PLACES: dict[LogKind, str] = {
    "postgresql": position(f"coalesce({_in_sequence(1)}, {ZERO})", _ROW, _ALONE),
    "mysql": position(_FILE, text("source", "pos"), f"coalesce({text('source', 'row')}, {ZERO})"),
    "sqlserver": position(
        _lsn("commit_lsn"),
        f"coalesce({_lsn('change_lsn')}, {ZERO})",
        f"coalesce({text('source', 'event_serial_no')}, {ZERO})",
        base=16,
    ),
    "oracle": position(f"coalesce({text('source', 'commit_scn')}, {_SCN})", _SCN, _SHARED),
    "mongodb": position(
        _SECONDS,
        text("source", "ord"),
        f"CASE WHEN {text('source', 'txnNumber')} IS NULL THEN {_ALONE} ELSE {_SHARED} END",
    ),
    "kafka": TOPIC_POSITION,
}

# PostgreSQL's is `txId:lsn`, of which the second part differs from row to row.
_ID = f"coalesce({text('transaction', 'id')}, {text('id')})"
_WHOLE = f"coalesce({_ID}, {text('source', 'txId')})"
_SESSION = f"{text('source', 'lsid')}, {text('source', 'txnNumber')}"
_TRANSACTIONS: dict[LogKind, str] = {
    "postgresql": f"coalesce(split_part({_ID}, ':', 1), {text('source', 'txId')})",
    "mysql": f"coalesce({text('source', 'gtid')}, {_WHOLE})",
    "mongodb": f"coalesce({_ID}, CASE WHEN {text('source', 'txnNumber')} IS NOT NULL"
    f" THEN concat_ws(':', {_SESSION}) END)",
}
