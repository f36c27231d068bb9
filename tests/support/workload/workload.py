"""All writers of a workload: started, brought to rest, and what they have come to."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Self

import psycopg

from support.workload.tables import State, full_stock
from support.workload.writer import Commit, Pace, Writer

_REST_SECONDS = 120


class Workload:
    """Writers on the tables of `create_tables`; a block around it ends them, and raises what failed.

    Each writes at most `transactions`. What `commits` and `expected` return is final at rest only.
    """

    def __init__(
        self,
        url: str,
        seed: int,
        *,
        writers: int = 4,
        transactions: int = 100,
        pace: Pace | None = None,
    ) -> None:
        self._url = url
        self._go, self._ended, self._may_end = (threading.Event() for _ in range(3))
        self._may_end.set()
        pace = pace or Pace()
        self.writers = [
            Writer(number, url, seed, pace, self._go, self._ended, self._may_end)
            for number in range(writers)
        ]
        self._threads = [
            threading.Thread(target=writer.work, args=(transactions,), daemon=True)
            for writer in self.writers
        ]

    def __enter__(self) -> Self:
        with psycopg.connect(self._url) as connection:
            connection.execute("DELETE FROM writers")
            for writer in self.writers:
                connection.execute("INSERT INTO writers VALUES (%s, 0)", (writer.number,))
        self._go.set()
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ended.set()
        self._go.set()
        self._may_end.set()
        for thread in self._threads:
            thread.join(_REST_SECONDS)
        if error is None:
            self._raise_failures()

    def finish(self) -> None:
        """Waits until each writer has written all its transactions."""
        for thread in self._threads:
            thread.join()
        self._raise_failures()

    def rest(self) -> None:
        """Lets all transactions end, and begins no other: the database is quiet until `go_on`."""
        self._go.clear()
        self._wait(lambda: all(writer.idle for writer in self.writers), "a transaction to end")

    def go_on(self) -> None:
        self._go.set()

    def wait_until_straddling(self) -> None:
        """Waits until a long transaction has written and is still open."""
        self._wait(lambda: any(w.straddling for w in self.writers), "a long transaction")

    @contextmanager
    def straddled(self) -> Iterator[set[int]]:
        """Within it long transactions of these ids have written, and are committed later."""
        self._may_end.clear()
        try:
            self._wait(lambda: bool(self._held_back()), "a long transaction")
            yield self._held_back()
        finally:
            self._may_end.set()

    def _held_back(self) -> set[int]:
        return {writer.held_back for writer in self.writers if writer.held_back is not None}

    def wait_for_commits(self, number: int) -> None:
        """Waits until that many transactions are committed in all."""
        self._wait(lambda: sum(len(w.commits) for w in self.writers) >= number, f"{number} commits")

    @property
    def commits(self) -> list[Commit]:
        """What was committed, writer by writer, each in the order of its commits."""
        return [commit for writer in self.writers for commit in writer.commits]

    @property
    def interrupted(self) -> dict[int | None, str]:
        """What cut transactions off, by their ids."""
        return {xid: why for writer in self.writers for xid, why in writer.interrupted.items()}

    def expected(self) -> State:
        """What the tables hold, by all that the writers know."""
        state = full_stock()
        for writer in self.writers:
            state |= writer.state
        for commit in self.commits:
            for table, before, after in commit.changes:
                if table == "stock":
                    assert before is not None
                    assert after is not None
                    key = (table, (after["sku"],))
                    left = state[key]["pieces"] - before["pieces"] + after["pieces"]
                    state[key] = state[key] | {"pieces": left}
        return state

    def _wait(self, holds: Callable[[], bool], for_what: str) -> None:
        deadline = time.monotonic() + _REST_SECONDS
        while not holds():
            self._raise_failures()
            if time.monotonic() > deadline:
                raise TimeoutError(f"waited {_REST_SECONDS} s for {for_what}")
            time.sleep(0.005)
        self._raise_failures()

    def _raise_failures(self) -> None:
        for writer in self.writers:
            if writer.error is not None:
                raise RuntimeError(f"writer {writer.number} failed") from writer.error
