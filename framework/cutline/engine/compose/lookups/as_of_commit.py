"""Lookups as of the image's commit: the rows as they were when the change was committed.

A version is a looked-up row from one of its changes to the next. Within one source, the log says
which version an image sees; a row that its own transaction changed is seen as the transaction left
it. Between two sources only the clock says it: their mutual order is assumed, and measured. Images
meet versions in one join. The versions of a key are divided into chapters, so that an image gets
those around its commit, and not the whole history.
"""

from __future__ import annotations

from functools import reduce

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from cutline.engine.compose.frames import CLASSIFIED, COMMIT_TIME, IMAGE_AFTER, IMAGES, PHASE, SKEW
from cutline.engine.compose.lookups.frames import (
    OWN_LOG,
    SINCE,
    UNTIL,
    VERSIONS,
    chapters_by_key,
    looked_up_columns,
    lookup_key,
    match_count,
)
from cutline.engine.compose.lookups.names import lookup_keys, matches
from cutline.engine.frames import step
from cutline.engine.restore import REREAD
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
def version_chapters(lookup: Lookup, readable: DataFrame) -> DataFrame:
    """The versions of a looked-up table's rows, in chapters: one row per key, order and chapter.

    `readable` are the changes of the table that could be read, up to the cut.
    """
    names = [lookup_key(i) for i in range(len(lookup.by))]
    key = [*names, OWN_LOG]
    place = Window.partitionBy(*key).orderBy("since")
    versions = _versions(lookup, readable).withColumn(
        "chapter", F.floor((F.rank().over(place) - 1) / F.lit(VERSIONS_IN_A_CHAPTER))
    )
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
    images: DataFrame, name: str, lookup: Lookup, table: DataFrame, primary: str
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
        joined = joined.withColumn(_AT, _or_when_one_came(versions, at))
    standing = _standing(versions, at)
    rows = F.transform(standing, lambda version: version.getField("row"))
    shown = F.when(F.size(rows) > 0, F.sort_array(rows)) if lookup.many else F.get(rows, F.lit(0))
    count = F.lit(1) if lookup.many else F.size(standing)
    closest = _closest(versions, at)
    nearer = F.abs(SKEW) <= closest
    crossing = ~F.col(_IN_OWN_LOG) & (F.col("op") != SNAPSHOT) & closest.isNotNull()
    return joined.withColumns(
        {
            IMAGE_AFTER.of(name): shown,
            match_count(name): count,
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


def _versions(lookup: Lookup, readable: DataFrame) -> DataFrame:
    """Two rows per version: LOOKUP_KEY columns, OWN_LOG, `since`, `until` and `row`.

    One says from when to when by places in the source's log, one by moments of its clock. `until`
    is null for the last version.
    """
    of_snapshot = (F.col("op") == SNAPSHOT) & ~F.col(REREAD)
    of_row = Window.partitionBy("key").orderBy(~of_snapshot, "position", "partition", "offset")
    so_far = of_row.rowsBetween(Window.unboundedPreceding, Window.currentRow)
    since = F.struct(
        # By commits: an image sees all of a transaction, or nothing of it.
        F.when(of_snapshot, F.lit(_ALWAYS)).otherwise(_commit_in_log()).alias("p"),
        F.when(of_snapshot, F.lit(_ALWAYS))
        # A source's own order outranks its clock: a time never goes back.
        .otherwise(moment_text(F.max("source_time").over(so_far)))
        .alias("m"),
    )
    changes = readable.withColumn("begun", since).withColumn("over", F.lead("begun").over(of_row))
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
        changes.where(F.col("op") != DELETE)
        .select(*lookup_keys(lookup), F.col("after").alias("row"), F.inline(orders))
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


def _or_when_one_came(versions: Column, at: Column) -> Column:
    later = F.filter(versions, lambda version: version.getField("since") > at)
    none = F.size(_standing(versions, at)) == 0
    return F.when(none, F.get(later, F.lit(0)).getField("since")).otherwise(at)


def _closest(versions: Column, at: Column) -> Column:
    """Microseconds from the commit to the nearest change of the versions; null for none."""
    edges = F.flatten(
        F.transform(versions, lambda v: F.array(v.getField("since"), v.getField("until")))
    )
    moving = F.filter(edges, lambda edge: edge.isNotNull() & (edge != F.lit(_ALWAYS)))
    return F.array_min(
        F.transform(moving, lambda e: F.abs(e.try_cast("bigint") - at.try_cast("bigint")))
    )
