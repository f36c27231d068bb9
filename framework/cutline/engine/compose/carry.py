"""Carrying: each part's last image is carried on, so that a commit shows the whole subject.

All of it happens in the order of the subject's commits, sorted once. Of a part that several rows of
a commit tell, the image is that of a row which still stands when it has ended.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window, WindowSpec
from pyspark.sql import functions as F

from cutline.engine.compose.commits import (
    BROKEN_BEFORE,
    COMMIT_AT,
    COMMIT_IN_DOUBT,
    COMMIT_OF,
    COMMIT_TIME,
    COMMIT_UNKNOWN,
    LANE,
    SUPERSEDED,
    UNREAD_BEFORE,
)
from cutline.engine.restore import ARRIVED, EXISTED_BEFORE, LEFT, ROW_GROUP
from cutline.engine.rules import AFTER, BEFORE
from cutline.tables.change import DELETE, UPDATE
from cutline.tables.disposition import QUARANTINED
from cutline.translator.translator import Translator
from cutline.translator.within import WHOLE

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

UNREADABLE = "unreadable_"
"""With an optional part's name: whether a row of it for the subject came that was quarantined."""

TAKEN_AWAY, NO_PRIOR = "gone_", "no_prior_"
"""With a part's name: whether the commit took its row away, and whether it changed one of which
nothing was known before. Of a translator that is asked about EACH change, whether that did."""

MOVED_FROM, MOVED_TO = "moved_from_", "moved_to_"
"""With a part's name: what its lifecycle's column was before and after the row's own change."""

ASIDE = "aside_"
"""With a part's name: the row as it came where it was put aside, and is in no image; else null."""

SKEW = "skew_us"
"""Microseconds since the subject's commit before it, where that came from another source; or from
the nearest change of what the image looks up there, if that is nearer."""

BY_COMMIT = ("phase", COMMIT_TIME, "log", COMMIT_AT, COMMIT_OF)
_RANK, _STEP = "rank_in_commit", "step_in_commit"
ORDER = (*BY_COMMIT, _RANK, _STEP, "part", "position", "key", "turn", "partition", "offset")
"""Within a subject's group, what its images are ordered by: snapshot, changes, unreadable rows; by
commits, and of each its images first, then what it took away, then what it wrote over."""


def in_order() -> WindowSpec:
    """The images of a subject: commits in their order, of each first the one that stands for it."""
    return Window.partitionBy(GROUP).orderBy(*ORDER)


def of_commit() -> WindowSpec:
    """The images of one commit of a subject; its snapshot is one. `in_order` is sorted for it."""
    return _by_commit().rangeBetween(Window.currentRow, Window.currentRow)


def _by_commit() -> WindowSpec:
    return Window.partitionBy(GROUP).orderBy(*BY_COMMIT)


def optional_parts(translator: type[Translator]) -> list[str]:
    """The parts that a subject may do without, of a translator that has several."""
    optional = [name for name, part in translator.parts.items() if not part.required]
    return optional if len(translator.parts) > 1 else []


def carry_images(translator: type[Translator], rows: DataFrame) -> DataFrame:
    """One image per row of `with_commits`: every part before and after the row's commit.

    A change that another of the same row follows in its commit shows its own row as it wrote it,
    and so does each change of a translator that is asked about EACH; beside it they show what the
    commit left of the other parts.
    """
    # The finer order first: what follows it finds its own in it.
    rows = _ranked(translator, rows).select("*", *_until_then(translator))
    rows = rows.select("*", *_of_its_commit(translator))
    rows = rows.select(
        *(F.col(name) for name in rows.columns),
        *(column for name in translator.parts for column in _sides(translator, name)),
    )
    sources = {part.contract.source() for part in translator.parts.values()}
    skew = F.col("since") if len(sources) > 1 else F.lit(None).cast("bigint")
    return rows.select(
        *REFERENCE,
        *(f"{side}_{name}" for name in translator.parts for side in (AFTER, BEFORE)),
        *(f"{mark}{name}" for name in translator.parts for mark in (TAKEN_AWAY, NO_PRIOR)),
        *(column for name in translator.parts for column in _moved(translator, name)),
        STANDS_FOR,
        GROUP,
        F.coalesce(*(_several(name) for name in translator.parts)).alias(SEVERAL),
        PART,
        skew.alias(SKEW),
        BROKEN_BEFORE,
        UNREAD_BEFORE,
        ARRIVED,
        ROW_GROUP,
        SUPERSEDED,
        *(_aside(name) for name in translator.parts),
        *(f"{UNREADABLE}{name}" for name in optional_parts(translator)),
        *(
            f"{of}{n}"
            for n in translator.views
            for of in (f"{AFTER}_", COMMIT_UNKNOWN, COMMIT_IN_DOUBT)
        ),
        *(name for name in ORDER if name not in REFERENCE),
    )


def _ranked(translator: type[Translator], rows: DataFrame) -> DataFrame:
    """The rows in the order of a commit: what stands for it first; `standing` orders images."""
    changed, whole = F.col("phase") == 1, _whole(translator)
    goes, lane = F.col("op") == DELETE, F.col(LANE).isNotNull()
    rank = F.when(F.col(SUPERSEDED), 2).when(goes, 1).otherwise(0)
    # A row comes through one partition of a topic: its place there outranks what clocks say.
    by_commit = (F.when(~lane, F.col(c)).alias(c) for c in (COMMIT_TIME, COMMIT_AT, COMMIT_OF))
    place = ("position", "turn", "partition", "offset")
    standing = F.struct(*by_commit, (~lane & ~goes).alias("stands"), *place)
    return rows.withColumns(
        {
            _RANK: F.when(changed & whole, rank).otherwise(0),
            _STEP: F.when(~whole, F.col("position")),
            "standing": F.when(changed & ~F.col(SUPERSEDED), standing),
        }
    )


def _until_then(translator: type[Translator]) -> list[Column]:
    """What is known of the subject before each row, and where its commit begins."""
    ordered = in_order()
    entire = ordered.rowsBetween(Window.unboundedPreceding, Window.unboundedFollowing)
    earlier = ordered.rowsBetween(Window.unboundedPreceding, -1)
    snapshot, changed = F.col("phase") == 0, F.col("phase") == 1
    columns: list[Column] = []
    for name in translator.parts:
        mine = F.col(PART) == name
        shown = F.when(snapshot & mine, F.col(f"after_of_{name}"))
        # Wrapped, so that a deletion (a null image) is not skipped as if nothing had come.
        image = F.struct(F.col(f"after_of_{name}").alias("row"))
        last = (
            F.max_by(image, F.when(mine, F.col("standing")))
            if translator.within_transaction == WHOLE
            else F.last(F.when(changed & mine, image), ignorenulls=True)
        )
        columns += [
            F.first(shown, ignorenulls=True).over(entire).alias(f"shown_{name}"),
            F.count(shown).over(entire).alias(f"count_{name}"),
            last.over(earlier).alias(f"then_{name}"),
        ]
    of = (F.when(changed, F.col(c)).alias(c) for c in ("source", COMMIT_OF))
    commit = F.struct("phase", *of)
    begins = ~F.lag(commit).over(ordered).eqNullSafe(commit)
    stands = begins | (changed & ~_whole(translator)) | (F.col("phase") == 2)
    other_source = F.lag("source").over(ordered) != F.col("source")
    since = F.unix_micros(COMMIT_TIME) - F.unix_micros(F.lag(COMMIT_TIME).over(ordered))
    follows = changed & (F.lag("phase").over(ordered) == 1) & other_source
    return [*columns, stands.alias(STANDS_FOR), F.when(follows, since).alias("since")]


def _of_its_commit(translator: type[Translator]) -> list[Column]:
    """What each row's commit left of every part, and what it found."""
    so_far = _by_commit().rangeBetween(Window.unboundedPreceding, Window.currentRow)
    whole = translator.within_transaction == WHOLE
    columns: list[Column] = []
    for name in translator.parts:
        mine = (F.col(PART) == name) & (F.col("phase") == 1)
        image = F.struct(F.col(f"after_of_{name}").alias("row"))
        left = F.max_by(image, F.when(mine, F.col("standing"))).over(so_far)
        # What a row was before it came to the subject is no image of this one.
        before = F.when(~F.col(ARRIVED), F.col(f"before_of_{name}"))
        ends = F.col("op").isin(UPDATE, DELETE) & ~F.col(ARRIVED)
        first = F.struct(before.alias("told"), ends.alias("ends"))
        went = mine & (F.col("op") == DELETE) & ~(F.col(SUPERSEDED) & F.lit(whole))
        if whole:
            place = F.when(mine, F.struct("position", "turn", "partition", "offset"))
            first = F.min_by(first, place).over(of_commit())
            went = F.max(went).over(of_commit())
        else:
            first = F.when(mine, first)
        columns += [
            left.alias(f"left_of_{name}"),
            first.alias(f"first_{name}"),
            went.alias(f"went_{name}"),
            _stand(translator, name).alias(f"stand_{name}"),
        ]
    return columns


def _sides(translator: type[Translator], name: str) -> list[Column]:
    """A part's image after and before, and what became of its row."""
    snapshot, changed = F.col("phase") == 0, F.col("phase") == 1
    mine = changed & (F.col(PART) == name)
    apart = mine & (F.col(SUPERSEDED) if translator.within_transaction == WHOLE else F.lit(True))
    shown, then, left, first = (
        F.col(f"{what}_{name}") for what in ("shown", "then", "left_of", "first")
    )
    carried_on = F.when(left.isNotNull(), left.getField("row")).otherwise(shown)
    after = F.when(snapshot, shown).when(apart, F.col(f"after_of_{name}")).when(changed, carried_on)
    first_known = F.coalesce(shown, first.getField("told"))
    before = F.when(changed, F.when(then.isNotNull(), then.getField("row")).otherwise(first_known))
    lost = changed & F.coalesce(first.getField("ends"), F.lit(False)) & before.isNull()
    # A row that came and went in one commit was never there.
    was_there = before.isNotNull() | lost
    goes = F.col(f"went_{name}") | (apart & (F.col("op") == DELETE))
    return [
        after.alias(f"{AFTER}_{name}"),
        before.alias(f"{BEFORE}_{name}"),
        (goes & after.isNull() & was_there).alias(f"{TAKEN_AWAY}{name}"),
        lost.alias(f"{NO_PRIOR}{name}"),
    ]


def _aside(name: str) -> Column:
    broken = F.coalesce(F.col("row_end.disposition") == QUARANTINED, F.lit(False))
    mine = broken & (F.col(PART) == name)
    return F.when(mine, F.col(f"after_of_{name}")).alias(f"{ASIDE}{name}")


def _stand(translator: type[Translator], name: str) -> Column:
    """How many rows of a part the subject has, as far as is known when each commit has ended."""
    part = translator.parts[name]
    snapshot, shown = F.col("phase") == 0, F.col(f"count_{name}")
    if set(part.contract.key()) <= set(part.subject):
        return F.when(snapshot, shown)
    changed = (F.col(PART) == name) & (F.col("phase") == 1)
    goes = F.col("op") == DELETE
    comes = F.col(ARRIVED) | ~F.col(EXISTED_BEFORE)
    more = F.when(changed & goes & F.col(EXISTED_BEFORE), -1).when(changed & ~goes & comes, 1)
    whole = translator.within_transaction == WHOLE
    until = _by_commit().rangeBetween if whole else in_order().rowsBetween
    so_far = until(Window.unboundedPreceding, Window.currentRow)
    return F.when(F.col("phase") < 2, shown + F.coalesce(F.sum(more).over(so_far), F.lit(0)))


def _several(name: str) -> Column:
    # After one of two is deleted, nothing is known of the one that still stands.
    more = F.col(f"stand_{name}") > F.when(F.col(f"{AFTER}_{name}").isNotNull(), 1).otherwise(0)
    return F.when(more, F.lit(f"several-rows:{name}"))


def _moved(translator: type[Translator], name: str) -> list[Column]:
    """MOVED_FROM and MOVED_TO of a part that has a lifecycle: it holds of each step of a row."""
    lifecycle = translator.parts[name].contract.lifecycle()
    if lifecycle is None:
        return []
    logged_before, carried_before, now = (
        F.col(f"{image}_{name}").getField(lifecycle.column)
        for image in ("before_of", BEFORE, "after_of")
    )
    tells = F.col(f"before_of_{name}").isNotNull() & ~F.col(ARRIVED)
    then = F.when(tells, logged_before).otherwise(carried_before)
    return [then.alias(f"{MOVED_FROM}{name}"), now.alias(f"{MOVED_TO}{name}")]


def _whole(translator: type[Translator]) -> Column:
    return F.lit(translator.within_transaction == WHOLE)
