"""The kinds of logs that changes come from."""

from __future__ import annotations

from typing import Literal

LogKind = Literal["postgresql", "mysql", "sqlserver", "oracle", "mongodb", "number", "kafka"]
"""Whose log a position is of; `number` is any single number that grows, `kafka` the topic's own."""
