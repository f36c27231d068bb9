"""Lookups as of the image's commit: the rows that stood there when the change was committed.

What a looked-up row was from one of its changes to the next is a version. Within one source the
log says which versions an image sees, and a row that its own transaction changed is seen as the
transaction left it; between two sources only the clock does (their mutual order is assumed, and
measured). Images meet versions in one join on the key that they name. So that a row with a long
history is not carried whole to each image, the versions of a key are kept in chapters, and an
image meets the one that its commit lies in.
"""

from __future__ import annotations

from functools import reduce

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from cutline.engine.compose.carry import SKEW
from cutline.engine.compose.lookups.names import lookup_key, lookup_keys, match_count, matches
from cutline.engine.restore import REREAD
from cutline.engine.rules import AFTER
from cutline.tables.change import DELETE, SNAPSHOT
from cutline.translator.part import HOLD, Lookup

VERSIONS_IN_A_CHAPTER = 64

_ALWAYS = ""
"""Since when a snapshot's row stands: before every change."""

_YEAR_ONE = -62_135_596_800_000_000
"""The first moment of year 1 in microseconds from 1970 on; no clock of a source is before it."""

_AT, _OWN_LOG, _SINCE, _UNTIL = "looked_up_at", "by_own_log", "chapter_since", "chapter_until"


def version_chapters(lookup: Lookup, readable: DataFrame) -> DataFrame:
    """One row per key, order and chapter: the `by` columns, by which log, from when to when.

    `by_own_log` says whether `since` and `until` are places in the source's log or moments of its
    clock, both as texts that sort; `versions` is an array of `since`, `until` and `row`, with every
    version that stands at some time of the chapter, and the first of the next one. `readable` are
    the changes of the looked-up table that could be read, up to the cut.
    """
    names = [lookup_key(i) for i in range(len(lookup.by))]
    key = [*names, _OWN_LOG]
    place = Window.partitionBy(*key).orderBy("since")
    versions = _versions(lookup, readable).withColumn(
        "chapter", F.floor((F.rank().over(place) - 1) / F.lit(VERSIONS_IN_A_CHAPTER))
    )
    begins = F.min("since").alias(_SINCE)
    bounds = (
        versions.groupBy(*key, "chapter")
        .agg(begins)
        .withColumn(_UNTIL, F.lead(_SINCE).over(Window.partitionBy(*key).orderBy("chapter")))
    )
    # What was before the first version belongs to the first chapter.
    bounds = bounds.withColumn(
        _SINCE, F.when(F.col("chapter") == 0, F.lit(_ALWAYS)).otherwise(F.col(_SINCE))
    ).drop("chapter")
    rows, bounded = versions.drop("chapter").alias("version_of"), bounds.alias("chapter_of")
    alike = reduce(
        Column.__and__, (F.col(f"version_of.{n}") == F.col(f"chapter_of.{n}") for n in key)
    )
    begun = F.col(_UNTIL).isNull() | (F.col("since") <= F.col(_UNTIL))
    going_on = F.col("until").isNull() | (F.col("until") > F.col(_SINCE))
    placed = rows.join(bounded, alike & begun & going_on).select(
        *(F.col(f"chapter_of.{name}").alias(name) for name in key),
        F.col(_SINCE),
        F.col(_UNTIL),
        F.struct("since", "until", "row").alias("version"),
    )
    listed = F.sort_array(F.collect_list("version")).alias("versions")
    return placed.groupBy(*key, _SINCE, _UNTIL).agg(listed)


def join_as_of_commit(
    images: DataFrame, name: str, lookup: Lookup, table: DataFrame, primary: str
) -> DataFrame:
    """The images with the versions in `version_chapters` that stood when they were committed.

    A snapshot's image sees what stood at the snapshot. One that waits for its row
    (`missing="hold"`), and came before it, sees the first that came after.
    """
    own_log = F.col("source") == lookup.contract.source()
    at = F.when(own_log, _place(images)).otherwise(moment_text(_moment(images)))
    images = images.withColumns({_AT: at, "in_own_log": own_log})
    at = F.col(_AT)
    in_chapter = (F.col(_SINCE) <= at) & (F.col(_UNTIL).isNull() | (at < F.col(_UNTIL)))
    condition = matches(lookup, primary) & (F.col("in_own_log") == F.col(_OWN_LOG)) & in_chapter
    joined = images.join(table, condition, "left")
    versions = F.col("versions")
    if lookup.missing == HOLD:
        joined = joined.withColumn(_AT, _or_when_one_came(versions, at))
    standing = _standing(versions, at)
    rows = F.transform(standing, lambda version: version.getField("row"))
    shown = F.when(F.size(rows) > 0, F.sort_array(rows)) if lookup.many else F.get(rows, F.lit(0))
    count = F.lit(1) if lookup.many else F.size(standing)
    closest = _closest(versions, at)
    nearer = F.abs(SKEW) <= closest
    crossing = ~F.col("in_own_log") & (F.col("op") != SNAPSHOT) & closest.isNotNull()
    return joined.withColumns(
        {
            f"{AFTER}_{name}": shown,
            match_count(name): count,
            SKEW: F.when(crossing & ~F.coalesce(nearer, F.lit(False)), closest).otherwise(
                F.col(SKEW)
            ),
        }
    ).drop(
        *(lookup_key(i) for i in range(len(lookup.by))),
        _OWN_LOG,
        _SINCE,
        _UNTIL,
        "versions",
        _AT,
        "in_own_log",
    )


def moment_text(moment: Column) -> Column:
    """A timestamp as text that sorts: microseconds from the year 1 on, in 20 digits."""
    return F.lpad((F.unix_micros(moment) - F.lit(_YEAR_ONE)).cast("string"), 20, "0")


def _versions(lookup: Lookup, readable: DataFrame) -> DataFrame:
    """One row per version of a looked-up row and order: the `by` columns, since, until, row.

    Twice: by places in its source's log, and by moments of its clock. Null until: it stands yet.
    """
    of_snapshot = (F.col("op") == SNAPSHOT) & ~F.col(REREAD)
    of_row = Window.partitionBy("key").orderBy(~of_snapshot, "position", "partition", "offset")
    so_far = of_row.rowsBetween(Window.unboundedPreceding, Window.currentRow)
    since = F.struct(
        # All of a transaction is seen, or nothing of it.
        F.when(of_snapshot, F.lit(_ALWAYS)).otherwise(F.coalesce("commit", "position")).alias("p"),
        F.when(of_snapshot, F.lit(_ALWAYS))
        # A source's own order outranks its clock: one that runs backwards is held where it was.
        .otherwise(moment_text(F.max("source_time").over(so_far)))
        .alias("m"),
    )
    changes = readable.withColumn("begun", since).withColumn("over", F.lead("begun").over(of_row))
    orders = F.array(
        *(
            F.struct(
                F.lit(own).alias(_OWN_LOG),
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
    """Where the image's commit lies in its source's log; a snapshot lies before every change."""
    return F.when(_shown(images), F.lit(_ALWAYS)).otherwise(F.coalesce("commit", "position"))


def _moment(images: DataFrame) -> Column:
    """When the image was committed; of a snapshot, when it was taken."""
    if "commit_time" not in images.columns:
        return F.col("extract_time")
    return F.when(_shown(images), F.col("extract_time")).otherwise(F.col("commit_time"))


def _shown(images: DataFrame) -> Column:
    """Whether the image is of a snapshot; of a row that was read again it is not."""
    return F.col("phase") == 0 if "phase" in images.columns else F.lit(True)


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
    """Microseconds between the commit and the nearest change of what it sees; null for none."""
    edges = F.flatten(
        F.transform(versions, lambda v: F.array(v.getField("since"), v.getField("until")))
    )
    moving = F.filter(edges, lambda edge: edge.isNotNull() & (edge != F.lit(_ALWAYS)))
    return F.array_min(
        F.transform(moving, lambda e: F.abs(e.try_cast("bigint") - at.try_cast("bigint")))
    )
