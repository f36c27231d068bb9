"""Positions: places in a source's log, one comparable type per kind of log.

They are compared as numbers and written as text of a fixed width that sorts the same, so that a
table, a file and a program order changes alike. A position is never a clock.
"""

from cutline.positions.change_number import ChangeNumberPosition
from cutline.positions.gtid import GtidSet
from cutline.positions.kafka import KafkaPosition
from cutline.positions.kinds import LOGS, LogKind, log_of
from cutline.positions.layout import (
    FIRST_DIGITS,
    NOWHERE,
    ORDINAL_DIGITS,
    SECOND_DIGITS,
    numbers_text,
)
from cutline.positions.mongodb import MongoPosition
from cutline.positions.mysql import MySqlPosition
from cutline.positions.position import Position
from cutline.positions.postgres import PostgresPosition
from cutline.positions.sql_server import SqlServerPosition
from cutline.positions.transactions import PgSnapshot

__all__ = [
    "FIRST_DIGITS",
    "LOGS",
    "NOWHERE",
    "ORDINAL_DIGITS",
    "SECOND_DIGITS",
    "ChangeNumberPosition",
    "GtidSet",
    "KafkaPosition",
    "LogKind",
    "MongoPosition",
    "MySqlPosition",
    "PgSnapshot",
    "Position",
    "PostgresPosition",
    "SqlServerPosition",
    "log_of",
    "numbers_text",
]
