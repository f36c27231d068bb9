"""One writer: a connection of its own, one transaction after another, and what it has committed."""

from __future__ import annotations

import contextlib
import random
import threading
import time
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import psycopg

from support.workload.actions import Actions
from support.workload.draft import Draft
from support.workload.tables import Change, State

_RECONNECT_SECONDS = 120


class Commit(NamedTuple):
    """A transaction that was committed; those of one writer come in the order of their commits."""

    writer: int
    xid: int
    changes: tuple[Change, ...]


@dataclass
class Pace:
    """How fast and how long: seconds, drawn around these."""

    between: float = 0.01
    """From one transaction of a writer to its next."""
    long: float = 1.0
    """From the first to the last statement of a long transaction."""


@dataclass
class Writer:
    """What it has committed is exact, wherever the server went away meanwhile."""

    number: int
    url: str
    seed: int
    pace: Pace
    go: threading.Event
    ended: threading.Event
    may_end: threading.Event
    state: State = field(default_factory=dict)
    commits: list[Commit] = field(default_factory=list)
    rolled_back: int = 0
    straddling: bool = False
    """Whether a long transaction of it is open, and has written."""
    held_back: int | None = None
    """The id of a long transaction that it will commit as soon as `may_end` is set."""
    idle: bool = True
    interrupted: dict[int | None, str] = field(default_factory=dict)
    """What the server said where a transaction of it was cut off, by the transaction's id."""
    error: BaseException | None = None

    def __post_init__(self) -> None:
        self._draws = random.Random(f"{self.seed}:{self.number}")
        self._actions = Actions(self.number, self._draws)
        self._connection: psycopg.Connection[Any] | None = None

    def work(self, transactions: int) -> None:
        """That many transactions, each begun only while `go` is set; fewer once `ended` is set."""
        try:
            for transaction in range(1, transactions + 1):
                self.idle = False
                if not self.go.is_set():
                    self.idle = True
                    self.go.wait()
                    self.idle = False
                if self.ended.is_set():
                    break
                self._transact(transaction)
                self.idle = True
                time.sleep(self._draws.uniform(0, 2 * self.pace.between))
        except BaseException as error:
            self.error = error
        finally:
            self.idle, self.straddling = True, False
            if self._connection is not None:
                self._connection.close()

    def _transact(self, number: int) -> None:
        kind = self._draws.choices(["short", "several", "long"], weights=[8, 3, 1])[0]
        rolls_back = self._draws.random() < 0.15
        xid: int | None = None
        draft: Draft | None = None
        try:
            connection = self._connected()
            row = connection.execute(
                "UPDATE writers SET done = %s WHERE writer = %s"
                " RETURNING pg_current_xact_id()::text::bigint",
                (number, self.number),
            ).fetchone()
            assert row is not None
            (xid,) = row
            draft = Draft(connection, self.state)
            self._write(draft, kind, held_back=None if rolls_back else xid)
            if rolls_back:
                connection.rollback()
            else:
                connection.commit()
            committed = not rolls_back
        except psycopg.OperationalError as error:
            self.interrupted[xid] = str(error)
            committed = self._was_committed(number)
        self.straddling = False
        if committed and draft is not None and xid is not None:
            self.state = draft.state
            self.commits.append(Commit(self.number, xid, tuple(draft.changes)))
        else:
            self.rolled_back += 1

    def _write(self, draft: Draft, kind: str, *, held_back: int | None) -> None:
        actions = self._actions
        actions.any_of_them(draft)
        if kind == "short":
            if self._draws.random() < 0.3:
                actions.take_from_stock(draft)
            return
        for _ in range(self._draws.randint(1, 6)):
            actions.any_of_them(draft)
        if self._draws.random() < 0.5:
            with draft.undone():
                actions.any_of_them(draft)
        if kind == "long":
            self.straddling = True
            time.sleep(self._draws.uniform(0.5, 1.5) * self.pace.long)
            if held_back is not None:
                self._hold_back(held_back)
            actions.any_of_them(draft)
        else:
            actions.take_from_stock(draft)

    def _hold_back(self, xid: int) -> None:
        """Waits with a commit; what will be rolled back does not wait, lest all writers do."""
        if not self.may_end.is_set():
            self.held_back = xid
            self.may_end.wait()
            self.held_back = None

    def _connected(self) -> psycopg.Connection[Any]:
        """The connection; another where the server has gone and come back."""
        deadline = time.monotonic() + _RECONNECT_SECONDS
        while self._connection is None or self._connection.closed:
            try:
                self._connection = psycopg.connect(self.url, connect_timeout=5)
            except psycopg.OperationalError as error:
                if time.monotonic() > deadline:
                    raise TimeoutError(f"no server for {_RECONNECT_SECONDS} s") from error
                time.sleep(0.1)
        return self._connection

    def _was_committed(self, number: int) -> bool:
        """Whether a commit that got no answer has happened: its row of `writers` says so.

        Its transaction's id does not: one that the log had lost is given to another after a crash.
        """
        with contextlib.suppress(psycopg.Error):
            if self._connection is not None:
                self._connection.close()
        while True:
            connection = self._connected()
            try:
                # FOR UPDATE waits for a backend that has not noticed yet that nobody listens.
                row = connection.execute(
                    "SELECT done FROM writers WHERE writer = %s FOR UPDATE", (self.number,)
                ).fetchone()
                connection.rollback()
            except psycopg.OperationalError:
                connection.close()
                continue
            return row == (number,)
