"""Whether a connector read a table once more after it had followed its changes."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.sources.changes.change_input import ChangeInput
from cutline.sources.changes.envelope import ROW
from cutline.tables.change import SNAPSHOT


def refuse_second_snapshot(narrow: DataFrame, change_input: ChangeInput) -> None:
    """RunFailed if Debezium's topics hold rows of a snapshot behind changes of the same table.

    Rows that an incremental snapshot read again have no position, and are none of these. The order
    of files is not certain enough to tell, so only topics are looked at.
    """
    if change_input.topics is None or change_input.section.kind != "debezium":
        return
    is_row = (F.col("kind") == ROW) & F.col("position").isNotNull()
    rows = narrow.where(is_row & F.col("table").isin(list(change_input.tables.values())))
    is_read = F.col("op") == SNAPSHOT
    # A table's records of one partition are in the order of their offsets, in all parts of it.
    last_read = F.max(F.when(is_read, F.struct("number", "file", "table"))).alias("last_read")
    first_change = F.min(F.when(~is_read, F.col("number"))).alias("first_change")
    tables = rows.groupBy("table", "partition").agg(last_read, first_change)
    behind = tables.where(F.col("last_read.number") > F.col("first_change"))
    place = behind.agg(F.min("last_read")).first()
    if place is not None and place[0] is not None:
        change_input.stop_at(
            place[0],
            f"is a row of a snapshot of table {place[0].table!r}, and changes of the table stand "
            "before it: the connector began again, and what was deleted in between is in no record",
            "Begin with that snapshot: `from` in its `kafka` with the offsets, or a moment, before "
            "it and behind those changes; or take a new extract, and changes from there on.",
        )
