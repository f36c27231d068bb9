"""Whether a connector read a table once more after it had followed its changes."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cutline.sources.changes.change_input import ChangeInput
from cutline.sources.changes.envelope import ROW
from cutline.tables.change import SNAPSHOT


def refuse_second_snapshot(narrow: DataFrame, change_input: ChangeInput) -> None:
    """RunFailed if Debezium wrote rows of a snapshot behind changes of the same table.

    It looks at each partition of topics, and at files of logs with positions: at each partition
    that their records name, else at each file, for the order of files is not certain enough. Rows
    that an incremental snapshot read again have no position, and are none of these.
    """
    section = change_input.section
    if section.kind != "debezium" or (change_input.topics is None and section.log == "kafka"):
        return
    is_row = (F.col("kind") == ROW) & F.col("position").isNotNull()
    rows = narrow.where(is_row & F.col("table").isin(list(change_input.tables.values())))
    is_read = F.col("op") == SNAPSHOT
    # A table's records of one partition are in the order of their offsets, in all parts of it.
    place = F.struct("offset", "file", "number", "table")
    last_read = F.max(F.when(is_read, place)).alias("last_read")
    first_change = F.min(F.when(~is_read, F.col("offset"))).alias("first_change")
    tables = rows.groupBy("table", "partition").agg(last_read, first_change)
    behind = tables.where(F.col("last_read.offset") > F.col("first_change"))
    first = behind.agg(F.min("last_read")).first()
    if first is not None and first[0] is not None:
        change_input.stop_at(
            first[0],
            f"is a row of a snapshot of table {first[0].table!r}, and changes of the table stand "
            "before it: the connector began again, and what was deleted in between is in no record",
            _next_step(change_input),
        )


def _next_step(change_input: ChangeInput) -> str:
    begin = "leave out the lines before it"
    if change_input.topics is not None:
        begin = "`from` in its `kafka` with the offsets, or a moment, before it and behind those"
        begin += " changes"
    return f"Begin with that snapshot: {begin}; or take a new extract, and changes from there on."
