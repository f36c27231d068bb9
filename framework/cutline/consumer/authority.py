"""What the control database says of a slice: who decides, under which epoch, who is read, and what
is released.

Its tables are declared here once more, as far as they are read: a service needs nothing else of
Cutline.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Column,
    Engine,
    Executable,
    MetaData,
    Row,
    Table,
    Text,
    select,
)
from sqlalchemy.exc import SQLAlchemyError

from cutline.consumer.epochs import SliceAuthority, WritesMoved
from cutline.consumer.errors import ConsumerError
from cutline.consumer.reads import LEGACY, SliceReads

CONTROL = MetaData()

ROLLOUTS = Table(
    "cutline_rollouts",
    CONTROL,
    Column("context", Text, primary_key=True),
    Column("region", Text, primary_key=True),
    Column("reads", Text, nullable=False),
    Column("percent", BigInteger),
    Column("writes", Text, nullable=False),
    Column("epoch", BigInteger, nullable=False),
    Column("release", BigInteger),
)

RELEASES = Table(
    "cutline_releases",
    CONTROL,
    Column("context", Text, primary_key=True),
    Column("region", Text, primary_key=True),
    Column("release", BigInteger, primary_key=True),
    Column("run_id", Text, nullable=False),
    Column("timeline_digest", Text, nullable=False),
    Column("positions", JSON, nullable=False),
    Column("read_model", JSON(none_as_null=True)),
)

LEDGER = Table(
    "cutline_rollout_ledger",
    CONTROL,
    Column("context", Text, primary_key=True),
    Column("region", Text, primary_key=True),
    Column("version", BigInteger, primary_key=True),
    Column("step", Text),
    Column("event", Text, nullable=False),
    Column("evidence", JSON(none_as_null=True), nullable=False),
    Column("writes", Text, nullable=False),
    Column("epoch", BigInteger, nullable=False),
)
_MOVES = ("flip", "flip-back")
"""The steps of a rollout that move the writes."""


@dataclass(frozen=True)
class SliceRelease:
    """The release that a slice's readers use: its run, the SHA-256 of its timeline, by topic and
    partition the offset at which its history ends, and by aggregate its table in the read model;
    no tables where it was staged without one."""

    release: int
    run_id: str
    digest: str
    ends: Mapping[tuple[str, int], int]
    tables: Mapping[str, str]


class ControlDatabase:
    """Reads slices in the control database. Who writes and who is read is used for `seconds`."""

    def __init__(
        self,
        engine: Engine,
        seconds: float = 1.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._engine, self._seconds, self._clock = engine, seconds, clock
        self._rows: dict[tuple[str, str], tuple[float, Row[Any] | None]] = {}
        self._moves: dict[tuple[str, str], tuple[int, tuple[WritesMoved, ...]]] = {}

    def authority(self, context: str, region: str, fresh: bool = False) -> SliceAuthority | None:
        """Who has the writes of a slice, and under which epoch; null for one that was never opened.

        ConsumerError where the database does not answer.
        """
        row = self._rollout(context, region, fresh)
        if row is None:
            return None
        epoch = int(row.epoch)
        return SliceAuthority(epoch, row.writes, self._moves_of(context, region, epoch))

    def reads(self, context: str, region: str, fresh: bool = False) -> SliceReads:
        """Who answers the readers of a slice; the legacy where it was never opened.

        ConsumerError where the database does not answer.
        """
        row = self._rollout(context, region, fresh)
        if row is None:
            return SliceReads(context, region, LEGACY, None, None)
        return SliceReads(context, region, row.reads, row.percent, row.release)

    def release(self, context: str, region: str) -> SliceRelease | None:
        """The release of a slice as it stands now; null where none is promoted."""
        row = self._row(
            select(RELEASES)
            .join(
                ROLLOUTS,
                (RELEASES.c.context == ROLLOUTS.c.context)
                & (RELEASES.c.region == ROLLOUTS.c.region)
                & (RELEASES.c.release == ROLLOUTS.c.release),
            )
            .where(ROLLOUTS.c.context == context, ROLLOUTS.c.region == region)
        )
        if row is None:
            return None
        ends = {
            (topic, int(partition)): int(end)
            for topic, partitions in row.positions.items()
            for partition, end in partitions.items()
        }
        tables = (row.read_model or {"tables": ()})["tables"]
        return SliceRelease(
            row.release,
            row.run_id,
            row.timeline_digest,
            ends,
            {table["aggregate"]: table["table"] for table in tables},
        )

    def _moves_of(self, context: str, region: str, epoch: int) -> tuple[WritesMoved, ...]:
        """The moves of a slice's writes up to an epoch, which each of them raises."""
        read_at, moves = self._moves.get((context, region), (None, ()))
        if read_at != epoch:
            query = (
                select(LEDGER.c.epoch, LEDGER.c.writes, LEDGER.c.evidence)
                .where(LEDGER.c.context == context, LEDGER.c.region == region)
                .where(LEDGER.c.step.in_(_MOVES), LEDGER.c.event == "done")
                .where(LEDGER.c.epoch <= epoch)
                .order_by(LEDGER.c.version)
            )
            moves = tuple(
                WritesMoved(int(row.epoch), row.writes, row.evidence.get("live_ends"))
                for row in self._read(query)
            )
            self._moves[context, region] = epoch, moves
        return moves

    def _rollout(self, context: str, region: str, fresh: bool) -> Row[Any] | None:
        """The row of a slice, as it was read less than `seconds` ago."""
        read_at, row = self._rows.get((context, region), (float("-inf"), None))
        if fresh or self._clock() - read_at >= self._seconds:
            row = self._row(
                select(ROLLOUTS).where(ROLLOUTS.c.context == context, ROLLOUTS.c.region == region)
            )
            self._rows[context, region] = (self._clock(), row)
        return row

    def _row(self, query: Executable) -> Row[Any] | None:
        return next(iter(self._read(query)), None)

    def _read(self, query: Executable) -> Sequence[Row[Any]]:
        try:
            with self._engine.connect() as connection:
                return connection.execute(query).all()
        except SQLAlchemyError as error:
            raise ConsumerError(
                f"the control database does not say who decides: {type(error).__name__}",
                left_behind="The event is not handled, and comes again.",
                next_step="See that the database answers, that the service may read "
                f"{ROLLOUTS.name}, {RELEASES.name} and {LEDGER.name}, and start the service again.",
            ) from None
