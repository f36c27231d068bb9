"""The sample's business in a thread of its own, by rate, beside the runs."""

from __future__ import annotations

import datetime as dt
import threading
import time
from types import TracebackType

from cutline.errors import RunFailed
from cutline.sample import Trade

_ENDS_BEFORE_CUT = dt.timedelta(minutes=1)
_WAITS = 60.0


class Trading:
    """So many transactions a second while the block lasts, at most up to a minute before the cut.

    Orders only come until `let_move` is called; from then on they are moved as well.

    A failure of the trade is raised where the block ends well, or by `wait_for`.
    """

    def __init__(self, trade: Trade, rate: float, cut: dt.datetime) -> None:
        self.trade = trade
        self._between, self._end = 1 / rate, cut - _ENDS_BEFORE_CUT
        self._stopped, self._moves = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._work, name="trading", daemon=True)
        self._failure: BaseException | None = None

    def __enter__(self) -> Trading:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stopped.set()
        self._thread.join()
        self.trade.close()
        if error is None and self._failure is not None:
            raise self._failure

    def let_move(self) -> None:
        """From now on orders are moved as well, and stock with them."""
        self._moves.set()

    def wait_for(self, transactions: int) -> None:
        """Until there were so many transactions, or none comes any more because of the cut."""
        patience = _WAITS + transactions * self._between
        until = time.monotonic() + patience
        while self._transactions() < transactions and self._thread.is_alive():
            if time.monotonic() > until:
                raise RunFailed(
                    f"the sample's business made {self._transactions()} transactions, and not "
                    f"{transactions}, within {patience:.0f} s",
                    next_step="Look at the database, then run the same command again.",
                )
            time.sleep(0.1)
        if self._failure is not None:
            raise self._failure

    def _transactions(self) -> int:
        return self.trade.moved + sum(map(len, self.trade.arrived.values()))

    def _work(self) -> None:
        at = time.monotonic()
        try:
            while not self._stopped.wait(max(0.0, at - time.monotonic())):
                if dt.datetime.now(dt.UTC) > self._end:
                    return
                self.trade.step(moves=self._moves.is_set())
                # Who was late does not hurry afterwards.
                at = max(at + self._between, time.monotonic())
        except BaseException as failure:
            self._failure = failure
