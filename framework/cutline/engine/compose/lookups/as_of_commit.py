"""Lookups as of the image's commit: the rows as they were when the change was committed.

A version is a looked-up row from one of its changes to the next; one that was quarantined has no
row, and an image that meets it sees none of the key's. Within one source, the log says which
version an image sees; a row that its own transaction changed is seen as the transaction left it.
Between two sources only the clock says it: their mutual order is assumed, and measured. Images meet
versions in one join. The versions of a key are divided into chapters, so that an image gets those
around its commit, and not the whole history.
"""

from __future__ import annotations

from functools import reduce

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from cutline.engine.compose.frames import (
    ABSENT,
    CLASSIFIED,
    COMMIT_TIME,
    IMAGE_AFTER,
    IMAGES,
    PHASE,
    SKEW,
    SOUND,
    UNREAD,
)
from cutline.engine.compose.lookups.frames import (
    OWN_LOG,
    ROW_STATE,
    SINCE,
    UNTIL,
    VERSIONS,
    WAS_QUARANTINED,
    chapters_by_key,
    looked_up_columns,
    lookup_key,
    match_count,
    unread_match,
)
from cutline.engine.compose.lookups.names import lookup_keys, matches
from cutline.engine.compose.lookups.states import in_snapshot, row_of_table
from cutline.engine.frames import step
from cutline.positions import FIRST_DIGITS
from cutline.tables.change import DELETE, SNAPSHOT
from cutline.translator.part import HOLD, Lookup

VERSIONS_IN_A_CHAPTER = 64

_ALWAYS = ""
"""The beginning of a snapshot row's version: before every change."""

_YEAR_ONE = -62_135_596_800_000_000
"""The first moment of year 1 in microseconds from 1970 on; no clock of a source is before it."""

_AT, _IN_OWN_LOG = "looked_up_at", "in_own_log"


@step(needs=CLASSIFIED, returns=chapters_by_key)
def version_chapters(lookup: Lookup, changes: DataFrame, all_sound: bool) -> DataFrame:
    """The versions of a looked-up table's rows, in chapters: one row per key, order and chapter.

    `changes` are as `changes_that_count` leaves them. The first version of a later chapter has a
    row: an image that waits for one looks no further.
    """
    names = [lookup_key(i) for i in range(len(lookup.by))]
    key = [*names, OWN_LOG]
    place = Window.partitionBy(*key).orderBy("since")
    versions = _versions(lookup, changes, all_sound).withColumn(
        "chapter", F.floor((F.rank().over(place) - 1) / F.lit(VERSIONS_IN_A_CHAPTER))
    )
    if not all_sound:
        so_far = place.rangeBetween(Window.unboundedPreceding, Window.currentRow)
        of_row = F.max(F.when(F.col("row").isNotNull(), F.col("chapter"))).over(so_far)
        versions = versions.withColumn("chapter", F.coalesce(of_row, F.lit(0)))
    begins = F.min("since").alias(SINCE)
    bounds = (
        versions.groupBy(*key, "chapter")
        .agg(begins)
        .withColumn(UNTIL, F.lead(SINCE).over(Window.partitionBy(*key).orderBy("chapter")))
    )
    # The time before the first version belongs to the first chapter.
    bounds = bounds.withColumn(
        SINCE, F.when(F.col("chapter") == 0, F.lit(_ALWAYS)).otherwise(F.col(SINCE))
    ).drop("chapter")
    rows, bounded = versions.drop("chapter").alias("version_of"), bounds.alias("chapter_of")
    alike = reduce(
        Column.__and__, (F.col(f"version_of.{n}") == F.col(f"chapter_of.{n}") for n in key)
    )
    begun = F.col(UNTIL).isNull() | (F.col("since") <= F.col(UNTIL))
    going_on = F.col("until").isNull() | (F.col("until") > F.col(SINCE))
    placed = rows.join(bounded, alike & begun & going_on).select(
        *(F.col(f"chapter_of.{name}").alias(name) for name in key),
        F.col(SINCE),
        F.col(UNTIL),
        F.struct("since", "until", "row").alias("version"),
    )
    listed = F.sort_array(F.collect_list("version")).alias(VERSIONS)
    return placed.groupBy(*key, SINCE, UNTIL).agg(listed)


@step(needs=IMAGES, adds=looked_up_columns)
def join_as_of_commit(
    images: DataFrame, name: str, lookup: Lookup, table: DataFrame, primary: str, all_sound: bool
) -> DataFrame:
    """The images with the versions of `table`, as `chapters_by_key`, at their commits.

    A snapshot's image sees the versions at the time of the snapshot. With `missing="hold"`, an
    image before the first version sees that one.
    """
    own_log = F.col("source") == lookup.contract.source()
    at = F.when(own_log, _place(images)).otherwise(moment_text(_moment(images)))
    images = images.withColumns({_AT: at, _IN_OWN_LOG: own_log})
    at = F.col(_AT)
    in_chapter = (F.col(SINCE) <= at) & (F.col(UNTIL).isNull() | (at < F.col(UNTIL)))
    condition = matches(lookup, primary) & (F.col(_IN_OWN_LOG) == F.col(OWN_LOG)) & in_chapter
    joined = images.join(table, condition, "left")
    versions = F.col(VERSIONS)
    if lookup.missing == HOLD:
        joined = joined.withColumn(_AT, _or_when_one_came(versions, at, all_sound))
    standing = _standing(versions, at)
    with_row = standing if all_sound else _with_row(standing)
    rows = F.transform(with_row, lambda version: version.getField("row"))
    shown = F.when(F.size(rows) > 0, F.sort_array(rows)) if lookup.many else F.get(rows, F.lit(0))
    count = F.lit(1) if lookup.many else F.size(with_row)
    is_unread = F.lit(False)
    if not all_sound:
        is_unread = F.exists(standing, lambda version: version.getField("row").isNull())
        shown = F.when(~F.coalesce(is_unread, F.lit(False)), shown)
    closest = _closest(versions, at)
    nearer = F.abs(SKEW) <= closest
    crossing = ~F.col(_IN_OWN_LOG) & (F.col("op") != SNAPSHOT) & closest.isNotNull()
    return joined.withColumns(
        {
            IMAGE_AFTER.of(name): shown,
            match_count(name): count,
            unread_match(name): is_unread,
            SKEW: F.when(crossing & ~F.coalesce(nearer, F.lit(False)), closest).otherwise(
                F.col(SKEW)
            ),
        }
    ).drop(
        *(lookup_key(i) for i in range(len(lookup.by))),
        OWN_LOG,
        SINCE,
        UNTIL,
        VERSIONS,
        _AT,
        _IN_OWN_LOG,
    )


def moment_text(moment: Column) -> Column:
    """A timestamp as text that sorts: microseconds from the year 1 on, in 20 digits."""
    return F.lpad((F.unix_micros(moment) - F.lit(_YEAR_ONE)).cast("string"), 20, "0")


def _versions(lookup: Lookup, changes: DataFrame, all_sound: bool) -> DataFrame:
    """Two rows per version: LOOKUP_KEY columns, OWN_LOG, `since`, `until` and `row`.

    One says from when to when by places in the source's log, one by moments of its clock. `until`
    is null for the last version. `row` is null from a quarantined change up to the row's next
    sound change, or its deletion; one of an unknown time ends all that was before it.
    """
    of_snapshot = in_snapshot(all_sound)
    of_row = Window.partitionBy(row_of_table(all_sound)).orderBy(
        ~of_snapshot, "position", "partition", "offset"
    )
    so_far = of_row.rowsBetween(Window.unboundedPreceding, Window.currentRow)
    # A source's own order outranks its clock: a time never goes back.
    moment = moment_text(F.max("source_time").over(so_far))
    nowhere = [] if all_sound else [F.when(F.col(WAS_QUARANTINED), F.lit(_ALWAYS))]
    since = F.struct(
        # By commits: an image sees all of a transaction, or nothing of it.
        *(
            F.when(of_snapshot, F.lit(_ALWAYS)).otherwise(F.coalesce(place, *nowhere)).alias(kind)
            for place, kind in ((_commit_in_log(), "p"), (moment, "m"))
        )
    )
    changes = changes.withColumn("begun", since)
    keys, row, is_absent = lookup_keys(lookup), F.col("after"), F.col("op") == DELETE
    if not all_sound:
        row = F.when(F.col(ROW_STATE) == SOUND, F.col("after"))
        is_absent = F.col(ROW_STATE) == ABSENT
        changes = changes.withColumn("last_sound", F.last(row, ignorenulls=True).over(so_far))
        keys = lookup_keys(lookup, F.col("last_sound"))
        # Quarantined changes one after the other are one version.
        unread = F.when(F.col(ROW_STATE) == UNREAD, F.struct(*keys))
        goes_on = F.coalesce(F.lag(unread).over(of_row) == unread, F.lit(False))
        changes = changes.withColumn("goes_on", goes_on).where(~F.col("goes_on"))
    changes = changes.withColumn("over", F.lead("begun").over(of_row))
    orders = F.array(
        *(
            F.struct(
                F.lit(own).alias(OWN_LOG),
                F.col("begun").getField(kind).alias("since"),
                F.col("over").getField(kind).alias("until"),
            )
            for own, kind in ((True, "p"), (False, "m"))
        )
    )
    lasting = F.col("until").isNull() | (F.col("since") < F.col("until"))
    return (
        changes.where(~is_absent)
        .select(*keys, row.alias("row"), F.inline(orders))
        .dropna(subset=[lookup_key(i) for i in range(len(lookup.by))])
        .where(lasting)
    )


def _place(images: DataFrame) -> Column:
    """The image's place in its source's log; a snapshot is before every change."""
    return F.when(_shown(images), F.lit(_ALWAYS)).otherwise(_commit_in_log())


def _commit_in_log() -> Column:
    """Where a change's commit stands in its source's log, as far as the log says it.

    Where a log tells of a transaction only its id, the first part of a position is the commit
    before the transaction, which all of its rows share and no others; or zero, where that is not
    known: then each row stands where it is.
    """
    first = F.left("position", F.lit(FIRST_DIGITS))
    is_of_transaction = F.col("transaction").isNotNull() & (first > F.lit("0" * FIRST_DIGITS))
    return F.coalesce("commit", F.when(is_of_transaction, first), "position")


def _moment(images: DataFrame) -> Column:
    """When the image was committed; for a snapshot row, when it was read."""
    if COMMIT_TIME not in images.columns:
        return F.col("extract_time")
    return F.when(_shown(images), F.col("extract_time")).otherwise(F.col(COMMIT_TIME))


def _shown(images: DataFrame) -> Column:
    """Whether the image is of a snapshot, and not of a row that was read after a change of it."""
    return F.col(PHASE) == 0 if PHASE in images.columns else F.lit(True)


def _standing(versions: Column, at: Column) -> Column:
    def stands(version: Column) -> Column:
        since, until = version.getField("since"), version.getField("until")
        return (since <= at) & (until.isNull() | (at < until))

    return F.filter(versions, stands)


def _with_row(versions: Column) -> Column:
    return F.filter(versions, lambda version: version.getField("row").isNotNull())


def _or_when_one_came(versions: Column, at: Column, all_sound: bool) -> Column:
    with_row = versions if all_sound else _with_row(versions)
    later = F.filter(with_row, lambda version: version.getField("since") > at)
    none = F.size(_standing(with_row, at)) == 0
    first = F.get(later, F.lit(0)).getField("since")
    if not all_sound:
        # Where none came, a quarantined row says why.
        first = F.coalesce(first, F.when(F.size(_standing(versions, at)) > 0, at))
    return F.when(none, first).otherwise(at)


def _closest(versions: Column, at: Column) -> Column:
    """Microseconds from the commit to the nearest change of the versions; null for none."""
    edges = F.flatten(
        F.transform(versions, lambda v: F.array(v.getField("since"), v.getField("until")))
    )
    moving = F.filter(edges, lambda edge: edge.isNotNull() & (edge != F.lit(_ALWAYS)))
    return F.array_min(
        F.transform(moving, lambda e: F.abs(e.try_cast("bigint") - at.try_cast("bigint")))
    )
