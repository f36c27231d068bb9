"""The exact cut: a change is history if the extract's own transaction saw its transaction.

Source: PostgreSQL's rule of snapshot visibility, as Snuba uses it to join a snapshot and a log.
"""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import Column
from pyspark.sql import functions as F

from cutline.cut.obligation import ASSUMED, PROVEN, Obligation
from cutline.cut.policy import CutPolicy, CutWords
from cutline.cut.side import side_of
from cutline.positions import GtidSet, PgSnapshot
from cutline.positions.transactions import EPOCH


@dataclass(frozen=True)
class TransactionVisibility(CutPolicy):
    """By PostgreSQL's `pg_current_snapshot()`."""

    snapshot: PgSnapshot
    name = "transaction-visibility"

    def side(self) -> Column:
        snapshot = self.snapshot
        xid = _widened(F.col("transaction").try_cast("bigint"), snapshot.xmax)
        inside = ~xid.isin(sorted(snapshot.xip)) if snapshot.xip else F.lit(True)
        return side_of((xid < snapshot.xmin) | ((xid < snapshot.xmax) & inside))

    def why_unplaced(self, source: str) -> str:
        return f"its record in {source} tells no id of its transaction (`source.txId`)"

    def words(self) -> CutWords:
        snapshot = self.snapshot
        but = f" except {len(snapshot.xip)} that were in progress" if snapshot.xip else ""
        return CutWords(
            f"every transaction that the extract saw: all before {snapshot.xmin}, and those before "
            f"{snapshot.xmax}{but}",
            "begins with every transaction that the extract did not see, wherever it is logged",
            "there is none: a transaction was seen or it was not",
        )

    def obligations(self) -> tuple[Obligation, ...]:
        return _exact_obligations("the extract's own view of each transaction")


@dataclass(frozen=True)
class GtidVisibility(CutPolicy):
    """By MySQL's `gtid_executed`."""

    executed: GtidSet
    name = "transaction-visibility"

    def side(self) -> Column:
        server = F.lower(F.substring_index("transaction", ":", 1))
        # A tag between the two numbers transactions of its own, which no set here tells of.
        untagged = F.col("transaction").rlike("^[^:]+:[0-9]+$")
        last = F.substring_index("transaction", ":", -1)
        number = F.when(untagged, last.try_cast("bigint"))
        visible = F.lit(False)
        for server_id, intervals in self.executed.intervals.items():
            within = F.lit(False)
            for low, high in intervals:
                within = within | number.between(low, high)
            visible = visible | ((server == server_id) & within)
        return side_of(F.when(number.isNotNull(), visible))

    def why_unplaced(self, source: str) -> str:
        return f"its record in {source} tells no GTID, or a tagged one, which the set does not list"

    def words(self) -> CutWords:
        servers = len(self.executed.intervals)
        return CutWords(
            f"every transaction in the set of ids that {servers} server(s) had executed",
            "begins with every transaction that is not in that set",
            "there is none: a transaction is in the set or it is not",
        )

    def obligations(self) -> tuple[Obligation, ...]:
        return _exact_obligations("the set of transactions that the extract saw")


def _exact_obligations(point: str) -> tuple[Obligation, ...]:
    return (
        Obligation("O2", ASSUMED, "the change file reaches back before the oldest of them"),
        Obligation("O3", PROVEN, f"{point}: what it does not show is kept"),
        Obligation("O4", PROVEN, f"{point}: what it shows is not kept"),
    )


def _widened(xid: Column, xmax: int) -> Column:
    """As `PgSnapshot.widened`: the nearest id of 64 bits that ends in these 32."""
    near = F.lit(xmax - xmax % EPOCH) + xid
    lower, higher = near - F.lit(EPOCH), near + F.lit(EPOCH)
    top = F.lit(xmax)
    nearest = (
        F.when((lower >= 0) & (top - lower <= F.abs(near - top)), lower)
        .when((higher - top) < F.abs(near - top), higher)
        .otherwise(near)
    )
    return F.when(xid >= EPOCH, xid).otherwise(nearest)
