"""Lookups frozen at the cut: the rows that exist there, or those in force at a business time."""

from __future__ import annotations

from collections.abc import Callable

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
    UNREAD_ROWS,
    looked_up_columns,
    lookup_key,
    match_count,
    rows_by_key,
    unread_match,
)
from cutline.engine.compose.lookups.names import lookup_keys, matches
from cutline.engine.compose.lookups.states import in_snapshot, row_of_table, state_left
from cutline.engine.frames import step
from cutline.engine.restore import ROW_END
from cutline.engine.rules import LAST, image
from cutline.translator.part import Lookup

_STATE = "row_state"


@step(needs=CLASSIFIED, returns=rows_by_key)
def rows_at_the_cut(lookup: Lookup, changes: DataFrame, changing: bool) -> DataFrame:
    """The rows of a looked-up table as they stand at the cut, by the values of its `by` columns.

    `changes` are those of the table up to the cut. A row with a null in a `by` column is left out:
    it equals nothing. Of several rows of a key, where one is wanted, the smallest comes back, and
    their number. A row is among UNREAD_ROWS where its last change was quarantined.
    """
    rows = changes.withColumn(_STATE, state_left())
    is_sound = F.col(_STATE) == SOUND
    last_sound: Column | None = None
    if changing:
        newest = F.struct(~in_snapshot(), "position", "partition", "offset")
        rows = (
            rows.where(F.col(_STATE).isNotNull())
            .groupBy(row_of_table().alias("row"))
            .agg(
                F.max_by(F.struct("after", _STATE, ROW_END), newest).alias("last"),
                F.max_by("after", F.when(is_sound, newest)).alias("last_sound"),
            )
            .select("last.*", "last_sound")
        )
        last_sound = F.col("last_sound")
    names = [lookup_key(i) for i in range(len(lookup.by))]
    rows = rows.where(F.col(_STATE) != ABSENT)
    rows = rows.select(*lookup_keys(lookup, last_sound), "after", _STATE)
    rows = rows.dropna(subset=list[str](names))
    sound_row = F.when(is_sound, F.col("after"))
    unread_row = F.when(F.col(_STATE) == UNREAD, F.struct("after"))
    unread = F.count(unread_row)
    if lookup.as_of is not None:
        # In structs: of a row that could not be read at all there is no image, and it counts.
        unread = F.transform(F.collect_list(unread_row), lambda wrapped: wrapped.getField("after"))
    unread = unread.alias(UNREAD_ROWS)
    if lookup.many or lookup.as_of is not None:
        rows_array = F.sort_array(F.collect_list(sound_row)).alias(MATCH)
        return rows.groupBy(*names).agg(rows_array, F.lit(1).alias(MATCHES), unread)
    # Only changes are grouped by key, so only there a key has one row for certain.
    if changing and lookup.by == lookup.contract.key():
        return rows.select(
            *names,
            sound_row.alias(MATCH),
            is_sound.cast("int").alias(MATCHES),
            (~is_sound).cast("bigint").alias(UNREAD_ROWS),
        )
    return rows.groupBy(*names).agg(
        F.min(sound_row).alias(MATCH), F.count(sound_row).cast("int").alias(MATCHES), unread
    )


@step(needs=IMAGES, adds=looked_up_columns)
def join_frozen(
    images: DataFrame, name: str, lookup: Lookup, table: DataFrame, primary: str
) -> DataFrame:
    """The images with the rows of `table`, which is as `rows_by_key`, that their keys meet."""
    names = [lookup_key(i) for i in range(len(lookup.by))]
    renamed = table.select(
        *names,
        F.col(MATCH).alias(IMAGE_AFTER.of(name)),
        F.col(MATCHES).alias(match_count(name)),
        UNREAD_ROWS,
    )
    joined = images.join(renamed, matches(lookup, primary), "left").drop(*names)
    shown, unread = F.col(IMAGE_AFTER.of(name)), F.col(UNREAD_ROWS)
    count = F.col(match_count(name))
    if lookup.as_of is not None:
        in_force = _in_force(lookup, primary)
        rows_array = F.filter(shown, in_force)
        shown, count = (
            (rows_array, count)
            if lookup.many
            else (F.get(rows_array, F.lit(0)), F.size(rows_array))
        )
        unread = F.size(F.filter(unread, lambda row: in_force(row) | _is_of_no_time(lookup, row)))
    if lookup.many:
        shown = F.when(F.size(shown) > 0, shown)
    is_unread = unread > 0
    visible = F.when(~F.coalesce(is_unread, F.lit(False)), shown)
    return joined.withColumns(
        {
            IMAGE_AFTER.of(name): visible,
            match_count(name): count,
            unread_match(name): is_unread,
        }
    ).drop(UNREAD_ROWS)


def _in_force(lookup: Lookup, primary: str) -> Callable[[Column], Column]:
    """Whether a row's interval contains the image's business time; never null."""
    assert lookup.as_of is not None
    # A date and a timestamp are compared as moments.
    at = image(LAST, primary).getField(lookup.as_of).cast("timestamp")

    def holds(row: Column) -> Column:
        since, until = _interval(lookup, row)
        begun = since.isNull() | (since <= at)
        return F.coalesce(begun & (until.isNull() | (at < until)), F.lit(False))

    return holds


def _is_of_no_time(lookup: Lookup, row: Column) -> Column:
    """Whether a row's interval is of no time, so that nothing says when the row holds."""
    since, until = _interval(lookup, row)
    return F.coalesce(since >= until, F.lit(False))


def _interval(lookup: Lookup, row: Column) -> tuple[Column, Column]:
    assert lookup.valid is not None
    start, end = (row.getField(name).cast("timestamp") for name in lookup.valid)
    return start, end
