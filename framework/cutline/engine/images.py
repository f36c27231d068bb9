"""Images: what a translator's rules look at, before and after each change.

A table without a change file needs no exchange: each snapshot row is its own image. Otherwise the
changes of all parts are brought together by subject, ordered by commit, and each part's last image
is carried forward; that is the stage's one exchange. All snapshot rows of a subject are one moment:
the first of them stands for all, and its siblings share its disposition.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce

from pyspark.sql import Column, DataFrame, Window, WindowSpec
from pyspark.sql import functions as F

from cutline.engine.end import end
from cutline.engine.restore import ARRIVED, LEFT, REREAD, ROW_GROUP, STOOD
from cutline.engine.row import AFTER, BEFORE, image
from cutline.tables.change import DELETE, SNAPSHOT, UPDATE
from cutline.tables.disposition import NO_OP, QUARANTINED
from cutline.translator.part import INFER
from cutline.translator.translator import Translator

# Columns that travel with a change through composition.
REFERENCE = (
    "source",
    "table",
    "key",
    "op",
    "position",
    "commit",
    "transaction",
    "source_time",
    "extract_time",
    "side",
    "payload",
    "row_end",
    "row_checks",
    "subject",
    LEFT,
)
STANDS_FOR, GROUP, SEVERAL, PART = (
    "stands_for_itself",
    "subject_group",
    "several_parts",
    "part_name",
)
_AS_COMMITTED = ("position", "part", "key", "turn", "partition", "offset")
"""Within a source, what its changes are ordered by; of what was delivered twice, the first."""

ORDER = ("phase", "commit_time", "log", *_AS_COMMITTED)
"""Within a subject's group, what its images are ordered by: snapshot, changes, unreadable rows."""

BROKEN_BEFORE = "broken_before"
"""Whether an earlier row of the subject, of the same source, was quarantined for what it is."""

UNREAD_BEFORE = "unread_before"
"""Whether the subject's row right before, of the same source, was quarantined for what it is."""

UNREADABLE = "unreadable_"
"""With an optional part's name: whether a row of it for the subject came that was quarantined."""

ASIDE = "aside_"
"""With a part's name: the row as it came where it was put aside, and is in no image; else null."""

SKEW = "skew_us"
"""Microseconds since the subject's change before it, where that came from another source; or from
the nearest change of what the image looks up there, if that is nearer."""


def own_images(name: str, changes: DataFrame) -> DataFrame:
    """One image per snapshot row of a table that has no change file."""
    return changes.select(
        *REFERENCE,
        F.col("after").alias(f"{AFTER}_{name}"),
        F.lit(None).cast(changes.schema["after"].dataType).alias(f"{BEFORE}_{name}"),
        F.lit(True).alias(STANDS_FOR),
        F.lit(None).cast("string").alias(GROUP),
        F.lit(None).cast("string").alias(SEVERAL),
        F.lit(name).alias(PART),
        F.lit(None).cast("bigint").alias(SKEW),
    )


def composed_images(translator: type[Translator], changes: Mapping[str, DataFrame]) -> DataFrame:
    """One image per change of any part, with every part's last image before and after it."""
    stacked = _without_repeats(_stacked(translator, changes), list(translator.parts))
    clock = _committed().rowsBetween(Window.unboundedPreceding, 0)
    broken = F.coalesce(F.col("row_end.disposition") == QUARANTINED, F.lit(False))
    stacked = stacked.withColumns(
        {
            # A source's own order outranks its clock: one that runs backwards is held where it was.
            "commit_time": F.max("source_time").over(clock),
            BROKEN_BEFORE: F.max(broken).over(clock),
            # What the snapshot shows already, or came twice, is no row in between.
            UNREAD_BEFORE: F.coalesce(
                F.last(F.when(broken | F.col("row_end").isNull(), broken), ignorenulls=True).over(
                    _committed().rowsBetween(Window.unboundedPreceding, -1)
                ),
                F.lit(False),
            ),
        }
    )
    # Of a row that cannot be read only the clock tells when it came; a snapshot is before all.
    so_far = Window.partitionBy(GROUP).orderBy("commit_time")
    stacked = stacked.withColumns(
        {
            f"{UNREADABLE}{name}": F.max(broken & (F.col(PART) == name)).over(so_far)
            for name in optional_parts(translator)
        }
    )
    return _carried(translator, stacked, in_order())


def _committed() -> WindowSpec:
    """The changes of a subject's group that one source made, as it committed them."""
    return Window.partitionBy(GROUP, "source").orderBy(*_AS_COMMITTED)


def _without_repeats(rows: DataFrame, names: Sequence[str]) -> DataFrame:
    """The rows, with an end for each change that its connector delivered once more."""
    # Some logs give several changes of a row one position: those tell different images.
    images = [F.col(f"after_of_{name}") for name in names]
    same = F.struct("part", "key", "op", "position", LEFT, *images)
    again = (F.lag(same).over(_committed()) == same) & F.col("offset").isNotNull()
    repeated = F.coalesce(again & F.col("row_end").isNull(), F.lit(False))
    told = F.lit("its connector delivered the same change before")
    return rows.withColumns(
        {
            "row_end": F.when(repeated, end(NO_OP, F.lit("repeated-delivery"), told)).otherwise(
                F.col("row_end")
            ),
            "phase": F.when(repeated, 2).otherwise(F.col("phase")),
        }
    )


def optional_parts(translator: type[Translator]) -> list[str]:
    """The parts that a subject may do without, of a translator that has several."""
    optional = [name for name, part in translator.parts.items() if not part.required]
    return optional if len(translator.parts) > 1 else []


def in_order() -> WindowSpec:
    """The images of a subject, in commit order."""
    return Window.partitionBy(GROUP).orderBy(*ORDER)


def existed(translator: type[Translator], side: str) -> Column:
    """Whether the subject had a row on that side of the image; never null."""
    there = [image(side, name).isNotNull() for name in translator.parts]
    return reduce(Column.__or__, there)


def whole(translator: type[Translator], side: str) -> Column:
    """Whether that side shows the subject with every part that it must have; never null.

    Where one was deleted, the rest is no image that facts can be asked of.
    """
    there = [
        image(side, name).isNotNull()
        for name, part in translator.parts.items()
        if part.required and part.missing != INFER
    ]
    return reduce(Column.__and__, there, existed(translator, side))


def _stacked(translator: type[Translator], changes: Mapping[str, DataFrame]) -> DataFrame:
    """The changes of all parts in one table, spread over the subjects by the one exchange."""
    names = list(translator.parts)
    alone = len(names) == 1
    stack: DataFrame | None = None
    for i, name in enumerate(names):
        frame = changes[name]
        images: list[Column] = []
        for other in names:
            kind = changes[other].schema["after"].dataType
            for column in ("after", "before"):
                own = F.col(column) if other == name else F.lit(None).cast(kind)
                images.append(own.alias(f"{column}_of_{other}"))
        # Rows that name no subject are in no history; a hash keeps them from one heap.
        stray = F.concat(
            F.lit("?"), F.xxhash64("source", "table", "payload", "position").cast("string")
        )
        readable = F.col("row_end").isNull()
        broken = F.coalesce(F.col("row_end.disposition") == QUARANTINED, F.lit(False))
        known = readable | (broken & F.col("subject").isNotNull())
        group = F.when(known, F.col(ROW_GROUP if alone else "subject"))
        # What is broken is in no image that is carried on, but a person must see it.
        own = F.when(broken, F.to_json(F.coalesce("after", "before")))
        shown = (F.col("op") == SNAPSHOT) & ~F.col(REREAD)
        one = frame.select(
            *(c for c in REFERENCE if c != "payload"),
            ARRIVED,
            STOOD,
            "partition",
            "offset",
            F.when(F.col(LEFT), 0).otherwise(1).alias("turn"),
            F.coalesce("payload", own).alias("payload"),
            *images,
            F.lit(i).alias("part"),
            # Tables of one source share its log; snapshot rows come in the order of the parts.
            F.when(shown, i).otherwise(_log(translator, name)).alias("log"),
            F.lit(name).alias(PART),
            F.coalesce(group, stray).alias(GROUP),
            F.when(~readable | group.isNull(), 2).when(shown, 0).otherwise(1).alias("phase"),
        )
        stack = one if stack is None else stack.unionByName(one)
    assert stack is not None
    return stack.repartition(GROUP)


def _carried(translator: type[Translator], rows: DataFrame, ordered: WindowSpec) -> DataFrame:
    names = list(translator.parts)
    entire = ordered.rowsBetween(Window.unboundedPreceding, Window.unboundedFollowing)
    so_far = ordered.rowsBetween(Window.unboundedPreceding, Window.currentRow)
    earlier = ordered.rowsBetween(Window.unboundedPreceding, -1)
    snapshot, changed = F.col("phase") == 0, F.col("phase") == 1
    columns: list[Column] = []
    several: list[Column] = []
    for i, name in enumerate(names):
        mine = F.col("part") == i
        shown = F.first(F.when(snapshot & mine, F.col(f"after_of_{name}")), ignorenulls=True).over(
            entire
        )
        # Wrapped, so that a deletion (a null image) is not skipped as if nothing had come.
        wrapped = F.when(changed & mine, F.struct(F.col(f"after_of_{name}").alias("row")))
        now = F.last(wrapped, ignorenulls=True).over(so_far)
        then = F.last(wrapped, ignorenulls=True).over(earlier)
        # What a row was before it came to the subject is no image of this one.
        told = F.when(mine & ~F.col(ARRIVED), F.col(f"before_of_{name}"))
        seen = F.when(snapshot, shown).when(
            changed, F.when(now.isNotNull(), now.getField("row")).otherwise(shown)
        )
        columns.append(seen.alias(f"{AFTER}_{name}"))
        columns.append(
            F.when(
                changed,
                F.when(then.isNotNull(), then.getField("row")).otherwise(F.coalesce(shown, told)),
            ).alias(f"{BEFORE}_{name}")
        )
        # After one of two is deleted, nothing is known of the one that still stands.
        more = _stand(translator, name, ordered) > F.when(seen.isNotNull(), 1).otherwise(0)
        several.append(F.when(more, F.lit(f"several-rows:{name}")))
    first = F.row_number().over(ordered) == 1
    other = F.lag("source").over(ordered) != F.col("source")
    apart = F.unix_micros("commit_time") - F.unix_micros(F.lag("commit_time").over(ordered))
    no_skew = F.lit(None).cast("bigint")
    follows = changed & (F.lag("phase").over(ordered) == 1)
    return rows.select(
        *REFERENCE,
        *columns,
        (~snapshot | first).alias(STANDS_FOR),
        F.col(GROUP),
        F.coalesce(*several).alias(SEVERAL),
        F.col(PART),
        (F.when(follows & other, apart) if len(_sources(translator)) > 1 else no_skew).alias(SKEW),
        BROKEN_BEFORE,
        UNREAD_BEFORE,
        ARRIVED,
        *(_aside(i, name) for i, name in enumerate(names)),
        *(f"{UNREADABLE}{name}" for name in optional_parts(translator)),
        *(name for name in ORDER if name not in REFERENCE),
    )


def _aside(number: int, name: str) -> Column:
    broken = F.coalesce(F.col("row_end.disposition") == QUARANTINED, F.lit(False))
    mine = broken & (F.col("part") == number)
    return F.when(mine, F.col(f"after_of_{name}")).alias(f"{ASIDE}{name}")


def _stand(translator: type[Translator], name: str, ordered: WindowSpec) -> Column:
    """How many rows of a part the subject has, as far as is known at each of its images."""
    mine, snapshot = F.col(PART) == name, F.col("phase") == 0
    entire = ordered.rowsBetween(Window.unboundedPreceding, Window.unboundedFollowing)
    shown = F.count(F.when(snapshot & mine, F.lit(1))).over(entire)
    part = translator.parts[name]
    if set(part.contract.key()) <= set(part.subject):
        return F.when(snapshot, shown)
    changed = mine & (F.col("phase") == 1)
    goes = F.col("op") == DELETE
    comes = F.col(ARRIVED) | ~F.col(STOOD)
    more = F.when(changed & goes & F.col(STOOD), -1).when(changed & ~goes & comes, 1)
    so_far = ordered.rowsBetween(Window.unboundedPreceding, Window.currentRow)
    return F.when(F.col("phase") < 2, shown + F.coalesce(F.sum(more).over(so_far), F.lit(0)))


def _log(translator: type[Translator], name: str) -> int:
    """The place of a part's source among the sources of the translator."""
    sources = [part.contract.source() for part in translator.parts.values()]
    return sources.index(translator.parts[name].contract.source())


def _sources(translator: type[Translator]) -> set[str]:
    return {part.contract.source() for part in translator.parts.values()}


def without_prior_image(translator: type[Translator]) -> Column:
    """Whether a change came to a row of which nothing was known before; never null."""
    unknown = [(F.col(PART) == n) & image(BEFORE, n).isNull() for n in translator.parts]
    ends = F.col("op").isin(UPDATE, DELETE) & ~F.col(ARRIVED)
    return ends & reduce(Column.__or__, unknown)
