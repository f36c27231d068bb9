"""Faults that somebody may bring in, each as a patch of the real code: the tests must notice.

The list is that of the notes on cut lines, and what was found since. Each says who must kill it:
the judge, on histories of its own kind, or a check of one small part.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from unittest import mock

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from cutline.cut import (
    CommitTimestamp,
    ExportedSnapshot,
    TransactionVisibility,
    reverify,
    stopping,
    transaction_visibility,
    window,
)
from cutline.cut.change_number import ChangeNumber
from cutline.cut.kafka_offsets import KafkaOffsets
from cutline.cut.side import side_of
from cutline.engine.compose import images, views
from cutline.engine.decide import moves
from cutline.engine.restore import classify, generations, id_history, key_changes, row_history
from cutline.engine.translate import translate
from cutline.positions import FIRST_DIGITS, NOWHERE, SECOND_DIGITS
from cutline.sources import chunks
from cutline.sources.changes import change_file
from cutline.sources.changes.envelope import ROW, TOMBSTONE
from cutline.tables.change import DELETE, SNAPSHOT
from cutline.translator import Lookup

_RESTORED = sys.modules["cutline.engine.restore.restore"]

JUDGE, REREADS, WINDOW, EXTRACT = "judge", "rereads", "window", "extract"
CHUNKS, STOPPING, QUEUE, COMMITS = "chunks", "stopping", "queue", "commits"
WAITING, MOVES, LOOKUPS, IN_COMMIT = "waiting", "moves", "lookups", "in commit"


@dataclass(frozen=True)
class Mutant:
    """A fault: its name, what it changes, who must notice, and how it is switched on.

    `cases` are those of the judge that show together all that it does: random ones by their
    number, literal ones by their name.
    """

    name: str
    changes: str
    noticed_by: str
    patch: Callable[[], Any]
    cases: tuple[int | str, ...] = ()

    @contextmanager
    def on(self) -> Iterator[None]:
        """The code is wrong within it."""
        with self.patch():
            yield


def _method(owner: type, name: str, replacement: Any) -> Callable[[], Any]:
    return lambda: mock.patch.object(owner, name, replacement)


def _row_place(policy: ExportedSnapshot) -> Column:
    row = F.substring("position", FIRST_DIGITS + 2, SECOND_DIGITS)
    return side_of(row < F.lit(policy.point.commit))


def _beyond_the_point(policy: ExportedSnapshot) -> Column:
    return side_of(F.col("commit") <= F.lit(policy.point.commit))


def _without_xip(policy: TransactionVisibility) -> Column:
    xid = transaction_visibility._widened(
        F.col("transaction").try_cast("bigint"), policy.snapshot.xmax
    )
    return side_of(xid < policy.snapshot.xmax)


def _not_widened(xid: Column, xmax: int) -> Column:
    return xid


def _before_the_number(policy: ChangeNumber) -> Column:
    return side_of(F.col("commit") < F.lit(policy.number.commit))


def _without_zone(policy: CommitTimestamp) -> Column:
    return side_of(F.col("source_time") <= F.lit(policy.until or policy.at))


def _with_the_end(policy: KafkaOffsets) -> Column:
    return side_of(F.col("offset") <= F.lit(max(policy.offsets.values())))


def _as_text(chunk: DataFrame, changes: DataFrame, snapshot: Any, key: Sequence[str]) -> DataFrame:
    unseen = (F.col("op") != SNAPSHOT) & F.coalesce(snapshot.side() != "before", F.lit(True))
    texts = F.explode(F.array_compact(F.array("key", "old_key")))
    touched = changes.where(unseen).select(texts.alias("touched"))
    text = F.to_json(F.array(*(F.col(name).cast("string") for name in key)))
    return chunk.join(touched, text == F.col("touched"), "left_anti")


def _new_keys_only(changes: DataFrame, chunk: DataFrame, key: Sequence[str]) -> DataFrame:
    return _touched_keys(changes.withColumn("old_key", F.lit(None).cast("string")), chunk, key)


_touched_keys = window.touched_keys


def _by_watermark(
    chunk: DataFrame, changes: DataFrame, snapshot: Any, key: Sequence[str]
) -> DataFrame:
    """Only what was logged since the low watermark, which is about where the snapshot is."""
    late = changes.where(F.col("commit") >= F.lit(f"{1_000_000:020d}"))
    return _current(chunk, late, snapshot, key)


_current = window.current_rows


def _by_column(columns: Sequence[str], bound: Sequence[str]) -> str:
    return " AND ".join(f"{c} > {b}" for c, b in zip(columns, bound, strict=True))


def _up_to_by_column(columns: Sequence[str], bound: Sequence[str]) -> str:
    return " AND ".join(f"{c} <= {b}" for c, b in zip(columns, bound, strict=True))


@contextmanager
def _chunks_by_column() -> Iterator[None]:
    with (
        mock.patch.object(chunks, "greater_than", _by_column),
        mock.patch.object(chunks, "not_greater_than", _up_to_by_column),
    ):
        yield


def _placeholder_is_a_value(rows: DataFrame, group: str, names: Sequence[str]) -> DataFrame:
    """What arrives in place of the value is a text like any other."""
    is_unknown = F.coalesce(F.array_contains("unknown", "note"), F.lit(False))
    note = F.when(is_unknown, F.lit("__debezium_unavailable_value")).otherwise(F.col("after.note"))
    after = F.when(F.col("after").isNotNull(), F.col("after").withField("note", note))
    columns = {"after": after, "unknown": F.lit(None).cast("array<string>")}
    return _with_known_columns(rows.withColumns(columns), group, names)


_with_known_columns = row_history.with_columns_filled


def _null_is_null(rows: DataFrame, group: str, names: Sequence[str]) -> DataFrame:
    nothing = F.array().cast("array<string>")
    return rows.withColumn("still_unknown", nothing)


def _null_is_a_value(rows: DataFrame, group: str) -> DataFrame:
    always = F.lit(True)
    return rows.withColumn("seen_before", always)


def _no_repeats(rows: DataFrame, names: Sequence[str]) -> DataFrame:
    return rows


def _old_key_stays(rows: DataFrame, key_history: DataFrame, group: str) -> DataFrame:
    nothing = F.lit(None).cast("string")
    named = {key_changes.LEFT_GROUP: nothing, key_changes.FINAL_SUBJECT: nothing}
    return rows.withColumns({key_changes.HISTORY_GROUP: F.col(group), **named})


def _shown_at_the_point(rows: DataFrame, group: str) -> DataFrame:
    """Takes what was committed exactly at a batch's point for shown by it."""
    key = Window.partitionBy(group)
    point = F.max(F.when(F.col("op") == SNAPSHOT, F.struct("generation", "position"))).over(key)
    at = F.col("commit") == F.left(point.getField("position"), F.length("commit"))
    ranked = _with_outranked(rows, group)
    return ranked.withColumn("outranked", F.col("outranked") | F.coalesce(at, F.lit(False)))


def _none_outranks(rows: DataFrame, group: str) -> DataFrame:
    return rows


_with_outranked = generations.with_outranked


def _before_all(rows: DataFrame, *, in_line: bool) -> DataFrame:
    return rows.withColumn("position", F.coalesce("position", F.lit(NOWHERE)))


def _always_born(moves: DataFrame, *, splits: bool) -> DataFrame:
    return _followed(moves.withColumn("shown", F.lit(False)), splits=splits)


_followed = id_history.trace_ids


def _tombstones_delete(records: DataFrame, section: Any, columns: Any) -> DataFrame:
    envelopes = _envelopes(records, section, columns)
    is_tombstone = F.col("kind") == TOMBSTONE
    meant = {"kind": ROW, "op": DELETE, "table": "things", "schema": None}
    return envelopes.withColumns(
        {
            name: F.when(is_tombstone, F.lit(value)).otherwise(F.col(name))
            for name, value in meant.items()
        }
    )


_envelopes = change_file.envelopes


def _stop_first(stop: stopping.StopRequest, end_of_log: Callable[[], Any]) -> None:
    stop.requested = True
    stop.target = end_of_log()


def _inside(records: Any, stop: stopping.StopRequest) -> Iterator[stopping.Transaction[Any]]:
    """Each row is taken as it comes, and told by its commit."""
    for record in records:
        if stop.is_behind(record.commit):
            return
        if record.payload is not None:
            yield stopping.Transaction(record.commit, (record.payload,))
        if stop.reached(record.commit):
            return


def _once(queue: Any, key: Any) -> None:
    if not queue._waiting[key] and not queue._under_way[key]:
        queue._waiting[key] = 1


def _change_by_change(*, by_partition: bool) -> Column:
    return F.col("position")


def _by_time(*, by_partition: bool) -> Column:
    return F.col("source_time").cast("string")


def _up_to_the_end_of_a_file(*, by_partition: bool) -> Column:
    return F.concat_ws("@", "transaction", "partition")


def _held_for_ever(rows: DataFrame) -> DataFrame:
    return rows


def _none_aside(*_: Any) -> Column:
    return F.array().cast("array<int>")


MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "row-LSN cut",
        "an exported snapshot cuts by the row's own place in the log, not by its commit's",
        JUDGE,
        _method(ExportedSnapshot, "side", _row_place),
        (42, 8),
    ),
    Mutant(
        "`>` for `>=` at the cut",
        "what was committed exactly at the consistent point is taken for history",
        JUDGE,
        _method(ExportedSnapshot, "side", _beyond_the_point),
        (14, 81),
    ),
    Mutant(
        "xip dropped",
        "transactions that were in progress are taken for visible",
        JUDGE,
        _method(TransactionVisibility, "side", _without_xip),
        (62,),
    ),
    Mutant(
        "32-bit ids not widened",
        "a transaction's id is compared as the log has it, without its epoch",
        JUDGE,
        lambda: mock.patch.object(transaction_visibility, "_widened", _not_widened),
        ("a row whose key changes",),
    ),
    Mutant(
        "`<` for `<=` at a change number",
        "the commit whose number was read with the rows is applied again",
        JUDGE,
        _method(ChangeNumber, "side", _before_the_number),
        (43,),
    ),
    Mutant(
        "the overlap zone taken for history",
        "what was committed while the extract ran is left out, seen or not",
        JUDGE,
        _method(CommitTimestamp, "side", _without_zone),
        (3,),
    ),
    Mutant(
        "the frozen end taken for history",
        "the first record behind a partition's frozen end is left out",
        JUDGE,
        _method(KafkaOffsets, "side", _with_the_end),
        (85,),
    ),
    Mutant(
        "the old key kept after a key change",
        "a row's history stays under the key that it had at the time",
        JUDGE,
        lambda: mock.patch.object(_RESTORED, "with_groups", _old_key_stays),
        ("a row whose key changes",),
    ),
    Mutant(
        "TOAST placeholder taken for a value",
        "the text that stands for an unchanged long value is read as the value",
        JUDGE,
        lambda: mock.patch.object(_RESTORED, "with_columns_filled", _placeholder_is_a_value),
        (10,),
    ),
    Mutant(
        "an unknown column taken for null",
        "what a change does not tell of a row becomes null",
        JUDGE,
        lambda: mock.patch.object(_RESTORED, "with_columns_filled", _null_is_null),
        (74,),
    ),
    Mutant(
        "a missing image before taken for no row",
        "the last known image of a row is not carried to a change that tells none",
        JUDGE,
        lambda: mock.patch.object(_RESTORED, "with_image_before", _null_is_a_value),
        (5, 22),
    ),
    Mutant(
        "repeated delivery applied again",
        "what a connector sends once more after a restart counts again",
        JUDGE,
        lambda: mock.patch.object(images, "_without_repeats", _no_repeats),
        (22, 74),
    ),
    Mutant(
        "change-by-change composition",
        "each change makes an image of its own, as if somebody could read between two rows",
        COMMITS,
        lambda: mock.patch.object(images, "commit_id", _change_by_change),
    ),
    Mutant(
        "transactions grouped by time",
        "what was committed at the same time is taken for one commit",
        COMMITS,
        lambda: mock.patch.object(images, "commit_id", _by_time),
    ),
    Mutant(
        "a transaction split by a file's end",
        "the rows of a transaction that stand in another file are taken for another commit",
        COMMITS,
        lambda: mock.patch.object(images, "commit_id", _up_to_the_end_of_a_file),
    ),
    Mutant(
        "held within its commit only",
        "a row that waits for its parent is let go when that comes in the same commit, not later",
        WAITING,
        lambda: mock.patch.object(translate, "release_held_rows", _held_for_ever),
    ),
    Mutant(
        "moves from what was put aside",
        "a move is compared with the image before it, though that was put aside for its own move",
        MOVES,
        lambda: mock.patch.object(moves, "_ended_by_move", _none_aside),
    ),
    Mutant(
        "lookups frozen at the cut",
        "what a change looks up is seen as it stands at the end, not as its commit left it",
        LOOKUPS,
        _method(Lookup, "by_commit", False),
    ),
    Mutant(
        "a subject's whole log for one commit",
        "what a commit did to the rows of a table is counted over all commits of the subject",
        IN_COMMIT,
        lambda: mock.patch.object(views, "COMMIT_OF", "source"),
    ),
    Mutant(
        "a batch that outranks no other",
        "of a key that two batches have, both count",
        JUDGE,
        lambda: mock.patch.object(_RESTORED, "with_outranked", _none_outranks),
        (0,),
    ),
    Mutant(
        "`<=` for `<` at a batch's point",
        "what was committed exactly at the point of the batch that counts is taken for shown",
        JUDGE,
        lambda: mock.patch.object(_RESTORED, "with_outranked", _shown_at_the_point),
        (14, 81),
    ),
    Mutant(
        "re-read rows before all changes",
        "a row that was read while the log ran is taken for older than what came ahead of it",
        REREADS,
        lambda: mock.patch.object(classify, "with_positions_by_arrival", _before_all),
        (18,),
    ),
    Mutant(
        "re-read rows taken for born",
        "a row that was read while the log ran is taken for another than the one that changed",
        REREADS,
        lambda: mock.patch.object(key_changes, "trace_ids", _always_born),
        (76,),
    ),
    Mutant(
        "tombstone counted as a delete",
        "the record without a value that follows a deletion is a deletion of its own",
        EXTRACT,
        lambda: mock.patch.object(change_file, "envelopes", _tombstones_delete),
    ),
    Mutant(
        "window matched on keys as text",
        "keys of a chunk are compared with those of the log by what they look like",
        WINDOW,
        lambda: mock.patch.object(window, "current_rows", _as_text),
    ),
    Mutant(
        "window between watermarks only",
        "a change that was logged before the low watermark and not seen is forgotten",
        WINDOW,
        lambda: mock.patch.object(window, "current_rows", _by_watermark),
    ),
    Mutant(
        "window without old keys",
        "a row whose key changed is put back under its old one",
        WINDOW,
        lambda: mock.patch.object(window, "touched_keys", _new_keys_only),
    ),
    Mutant(
        "composite keys compared column by column",
        "a chunk's bounds are compared for each column by itself",
        CHUNKS,
        _chunks_by_column,
    ),
    Mutant(
        "stop requested before the target position is recorded",
        "a reader sees the request while nobody knows yet how far it must read",
        STOPPING,
        _method(stopping.StopRequest, "request", _stop_first),
    ),
    Mutant(
        "a checkpoint inside a transaction",
        "rows are taken one by one, and a new start begins behind their commit",
        STOPPING,
        lambda: mock.patch.object(stopping, "take_until", _inside),
    ),
    Mutant(
        "set for multiset in the re-verify queue",
        "a key that is touched while it is compared is not compared again",
        QUEUE,
        _method(reverify.Reverify, "touched", _once),
    ),
)
