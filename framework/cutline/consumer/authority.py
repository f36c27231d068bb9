"""What the control database says of a slice: who decides, under which epoch, who is read, and what
is released."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy import Engine, Executable, Row, and_, or_, select
from sqlalchemy.exc import SQLAlchemyError

from cutline.consumer.control_rows import (
    LEDGER,
    RELEASES,
    ROLLOUTS,
    SliceRelease,
    damaged,
    json_columns,
    move_of,
    refuse_damaged_rollout,
    release_of,
)
from cutline.consumer.epochs import SliceAuthority, WritesMoved
from cutline.consumer.errors import ConsumerError
from cutline.consumer.reads import LEGACY, SliceReads

USED_SECONDS = 1.0
"""For how long a service uses what it read, unless it says otherwise."""
_MOVES = ("flip", "flip-back")
"""The steps of a rollout that move the writes. What was taken back does so too, to whom they were
before, and under an epoch of its own."""


class ControlDatabase:
    """Reads slices in the control database. Who writes and who is read is used for `seconds`."""

    def __init__(
        self,
        engine: Engine,
        seconds: float = USED_SECONDS,
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
        moves = self._moves_of(context, region, row.epoch)
        return SliceAuthority(row.epoch, row.writes, moves)

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
            RELEASES.name,
            select(RELEASES)
            .join(
                ROLLOUTS,
                (RELEASES.c.context == ROLLOUTS.c.context)
                & (RELEASES.c.region == ROLLOUTS.c.region)
                & (RELEASES.c.release == ROLLOUTS.c.release),
            )
            .where(ROLLOUTS.c.context == context, ROLLOUTS.c.region == region),
        )
        if row is None:
            return None
        return release_of(row)

    def _moves_of(self, context: str, region: str, epoch: int) -> tuple[WritesMoved, ...]:
        """The moves of a slice's writes up to an epoch, which each of them raises."""
        read_at, moves = self._moves.get((context, region), (None, ()))
        if read_at != epoch:
            rows = self._read(
                LEDGER.name,
                select(LEDGER)
                .where(LEDGER.c.context == context, LEDGER.c.region == region)
                .where(
                    or_(
                        and_(LEDGER.c.step.in_(_MOVES), LEDGER.c.event == "done"),
                        LEDGER.c.event == "undone",
                    )
                )
                .where(LEDGER.c.epoch <= epoch)
                .order_by(LEDGER.c.version),
            )
            moves = tuple(map(move_of, rows))
            self._moves[context, region] = epoch, moves
        return moves

    def _rollout(self, context: str, region: str, fresh: bool) -> Row[Any] | None:
        """The row of a slice, as it was read less than `seconds` ago."""
        read_at, row = self._rows.get((context, region), (float("-inf"), None))
        if fresh or self._clock() - read_at >= self._seconds:
            row = self._row(
                ROLLOUTS.name,
                select(ROLLOUTS).where(ROLLOUTS.c.context == context, ROLLOUTS.c.region == region),
            )
            if row is not None:
                refuse_damaged_rollout(row)
            self._rows[context, region] = (self._clock(), row)
        return row

    def _row(self, table: str, query: Executable) -> Row[Any] | None:
        return next(iter(self._read(table, query)), None)

    def _read(self, table: str, query: Executable) -> Sequence[Row[Any]]:
        try:
            with self._engine.connect() as connection:
                return connection.execute(query).all()
        except ValueError as error:
            # Of columns of JSON alone; which row it is, who asks knows.
            raise damaged(table, json_columns(table), f"is no JSON: {error}") from None
        except SQLAlchemyError as error:
            raise ConsumerError(
                f"the control database does not say who decides: {type(error).__name__}",
                left_behind="The event is not handled, and comes again.",
                next_step="See that the database answers, that the service may read "
                f"{ROLLOUTS.name}, {RELEASES.name} and {LEDGER.name}, and start the service again.",
            ) from None
