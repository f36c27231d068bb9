"""A sample: a generated legacy estate that the demo runs, offered by entry point."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from cutline.project.spark import SparkSection


@dataclass(frozen=True)
class LivePlaces:
    """Where a sample trades: a database of PostgreSQL that was made for it, and a cluster of Kafka.

    `name` is that of the database, of its slot and its publication, and what the names of all
    topics begin with. `url` is the database's as cutline.yaml has it, without a secret in it;
    `address` is the same with its password. What is committed up to `cut` is history.
    """

    name: str
    url: str
    address: str = field(repr=False)
    bootstrap: str
    cut: dt.datetime


class Trade(Protocol):
    """The business of a sample that goes on: the legacy takes and moves orders, and the new side
    tells of some of them."""

    arrived: dict[str, list[str]]
    """The numbers of the orders that came, by region."""
    moved: int
    """How many transactions changed orders that were there."""

    @property
    def announced(self) -> int:
        """How many events the new side has sent."""

    def step(self, *, moves: bool) -> None:
        """One transaction of the legacy, and what the new side tells of it. Without `moves` it is
        an order that comes. RunFailed where the database or Kafka does not take it."""

    def close(self) -> None:
        """End its connections."""


@dataclass(frozen=True)
class LiveSample:
    """How a sample is put on servers, where it goes on trading.

    - `tables` are those of the database, `schema.table`, whose changes a connector sends.
    - `live_topics` are the names of the topics of native events, without the prefix.
    - `partitions` is the number of partitions of each of them.
    - `load(places, folder)` makes the tables in the empty database, with the rows of the estate
      in the folder.
    - `write_project(folder, places)` writes the cutline.yaml of the estate on these servers.
    - `trade(places, folder, seed)` opens its business, for the estate in the folder.
    """

    tables: tuple[str, ...]
    live_topics: tuple[str, ...]
    partitions: int
    load: Callable[[LivePlaces, Path], None]
    write_project: Callable[[Path, LivePlaces], None]
    trade: Callable[[LivePlaces, Path, int], Trade]


@dataclass(frozen=True)
class Sample:
    """The functions of a sample project, which a plugin offers in the group `cutline.samples`.

    - `write_project(folder, orders, seed, major)` writes the estate and its cutline.yaml. The same
      number of orders and the same seed give the same bytes; `major` is that of the translation.
    - `choose_major(folder, major)` makes the project file name another major of the translation.
    - `spark_section(orders)` is the Spark section of the project file of an estate of that size.
    - `input_bytes(orders)` is roughly what the inputs of such an estate hold.
    - `live` is how it is put on servers; null for one that is in files only.
    """

    name: str
    write_project: Callable[[Path, int, int, int], None]
    choose_major: Callable[[Path, int], None]
    spark_section: Callable[[int], SparkSection]
    input_bytes: Callable[[int], int]
    live: LiveSample | None = None
