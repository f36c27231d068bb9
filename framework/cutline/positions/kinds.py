"""The kinds of logs that a project may name, and the position that each has."""

from __future__ import annotations

from collections.abc import Mapping

from cutline.positions.change_number import ChangeNumberPosition
from cutline.positions.kafka import KafkaPosition
from cutline.positions.mongodb import MongoPosition
from cutline.positions.mysql import MySqlPosition
from cutline.positions.position import Position
from cutline.positions.postgres import PostgresPosition
from cutline.positions.sql_server import SqlServerPosition
from cutline.project.log import LogKind as LogKind

LOGS: Mapping[LogKind, type[Position]] = {
    "postgresql": PostgresPosition,
    "mysql": MySqlPosition,
    "sqlserver": SqlServerPosition,
    "oracle": ChangeNumberPosition,
    "mongodb": MongoPosition,
    "number": ChangeNumberPosition,
    "kafka": KafkaPosition,
}


def log_of(log: LogKind) -> type[Position]:
    """The positions of a kind of log."""
    return LOGS[log]
