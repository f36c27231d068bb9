"""Lookups frozen at the cut: the rows that exist there, or those in force at a business time."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cutline.engine.compose.frames import (
    ABSENT,
    CLASSIFIED,
    IMAGE_AFTER,
    IMAGES,
    SOUND,
    UNREAD,
)
from cutline.engine.compose.lookups.frames import (
    MATCH,
    MATCHES,
    ROW_STATE,
    UNREAD_ROWS,
    looked_up_columns,
    lookup_key,
    match_count,
    rows_by_key,
    state_columns,
    unread_match,
)
from cutline.engine.compose.lookups.names import lookup_keys, matches
from cutline.engine.compose.lookups.states import in_snapshot, row_of_table
from cutline.engine.frames import step
from cutline.engine.rules import LAST, image
from cutline.tables.change import DELETE
from cutline.translator.part import Lookup

_LAST_SOUND = "last_sound"


@step(needs=CLASSIFIED, returns=rows_by_key)
def rows_at_the_cut(
    lookup: Lookup, changes: DataFrame, changing: bool, all_sound: bool
) -> DataFrame:
    """The rows of a looked-up table as they stand at the cut, by the values of its `by` columns.

    `changes` are as `changes_that_count` leaves them. A row with a null in a `by` column is left
    out: it equals nothing. Of several rows of a key, where one is wanted, the smallest comes back,
    and their number. A row is among UNREAD_ROWS where its last change was quarantined.
    """
    rows = _newest_changes(changes, all_sound) if changing else changes
    last_sound = F.col(_LAST_SOUND) if changing and not all_sound else None
    keys, names = lookup_keys(lookup, last_sound), [lookup_key(i) for i in range(len(lookup.by))]
    rows = rows.select(*keys, "after", *state_columns(all_sound)).dropna(subset=list[str](names))
    row, counted, unread = F.col("after"), F.lit(1), []
    if not all_sound:
        row = counted = F.when(F.col(ROW_STATE) == SOUND, F.col("after"))
        unread = [_unread_rows(lookup).alias(UNREAD_ROWS)]
    if lookup.many or lookup.as_of is not None:
        rows_array = F.sort_array(F.collect_list(row)).alias(MATCH)
        return rows.groupBy(*names).agg(rows_array, F.lit(1).alias(MATCHES), *unread)
    # Only changes are grouped by key, so only there a key has one row for certain.
    if changing and all_sound and lookup.by == lookup.contract.key():
        return rows.select(*names, row.alias(MATCH), F.lit(1).alias(MATCHES))
    return rows.groupBy(*names).agg(
        F.min(row).alias(MATCH), F.count(counted).cast("int").alias(MATCHES), *unread
    )


def _newest_changes(changes: DataFrame, all_sound: bool) -> DataFrame:
    """The last change of each row that is not deleted, with its ROW_STATE and _LAST_SOUND unless
    all are sound."""
    newest = F.struct(~in_snapshot(all_sound), "position", "partition", "offset")
    last, more = F.struct("op", "after", *state_columns(all_sound)), []
    is_absent = F.col("last.op") == DELETE
    if not all_sound:
        is_sound = F.col(ROW_STATE) == SOUND
        more = [F.max_by("after", F.when(is_sound, newest)).alias(_LAST_SOUND)]
        is_absent = F.col(f"last.{ROW_STATE}") == ABSENT
    by_row = changes.groupBy(row_of_table(all_sound).alias("row"))
    rows = by_row.agg(F.max_by(last, newest).alias("last"), *more).where(~is_absent)
    return rows.select("last.*", *([] if all_sound else [_LAST_SOUND]))


def _unread_rows(lookup: Lookup) -> Column:
    """UNREAD_ROWS of a key: their number, or with a business time the array of them."""
    # In structs: of a row that could not be read at all there is no image, and it counts.
    unread = F.when(F.col(ROW_STATE) == UNREAD, F.struct("after"))
    if lookup.as_of is None:
        return F.count(unread)
    return F.transform(F.collect_list(unread), lambda wrapped: wrapped.getField("after"))


@step(needs=IMAGES, adds=looked_up_columns)
def join_frozen(
    images: DataFrame, name: str, lookup: Lookup, table: DataFrame, primary: str, all_sound: bool
) -> DataFrame:
    """The images with the rows of `table`, which is as `rows_by_key`, that their keys meet."""
    names = [lookup_key(i) for i in range(len(lookup.by))]
    renamed = table.withColumnsRenamed({MATCH: IMAGE_AFTER.of(name), MATCHES: match_count(name)})
    joined = images.join(renamed, matches(lookup, primary), "left").drop(*names)
    if lookup.as_of is not None:
        joined = _in_force(joined, name, lookup, primary, all_sound)
    if all_sound:
        return joined.withColumn(unread_match(name), F.lit(False))
    shown, is_unread = F.col(IMAGE_AFTER.of(name)), F.col(UNREAD_ROWS) > 0
    is_visible = ~F.coalesce(is_unread, F.lit(False))
    if lookup.many:
        is_visible &= F.size(shown) > 0
    return joined.withColumns(
        {IMAGE_AFTER.of(name): F.when(is_visible, shown), unread_match(name): is_unread}
    ).drop(UNREAD_ROWS)


def _in_force(
    joined: DataFrame, name: str, lookup: Lookup, primary: str, all_sound: bool
) -> DataFrame:
    """Of the rows of the key, those whose interval contains the image's business time.

    UNREAD_ROWS becomes the number of those that may be in force then.
    """
    assert lookup.as_of is not None
    # A date and a timestamp are compared as moments.
    at = image(LAST, primary).getField(lookup.as_of).cast("timestamp")

    def holds(row: Column) -> Column:
        since, until = _interval(lookup, row)
        begun = since.isNull() | (since <= at)
        return F.coalesce(begun & (until.isNull() | (at < until)), F.lit(False))

    def may_hold(row: Column) -> Column:
        since, until = _interval(lookup, row)
        # An interval of no time does not say when the row holds.
        return holds(row) | F.coalesce(since >= until, F.lit(False))

    rows_array = F.filter(F.col(IMAGE_AFTER.of(name)), holds)
    if not all_sound:
        unread = F.size(F.filter(UNREAD_ROWS, may_hold))
        joined = joined.withColumn(UNREAD_ROWS, unread)
    if lookup.many:
        in_force = F.when(F.size(rows_array) > 0, rows_array)
        return joined.withColumn(IMAGE_AFTER.of(name), in_force)
    return joined.withColumn(match_count(name), F.size(rows_array)).withColumn(
        IMAGE_AFTER.of(name), F.get(rows_array, F.lit(0))
    )


def _interval(lookup: Lookup, row: Column) -> tuple[Column, Column]:
    assert lookup.valid is not None
    start, end = (row.getField(name).cast("timestamp") for name in lookup.valid)
    return start, end
