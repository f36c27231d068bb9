"""Carrying: the last row of each part goes on to later commits, so that each shows all parts.

The images of a subject are sorted once, by commits. Where a commit changed several rows of a part,
the part's image is one of those that exist when it has ended.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window, WindowSpec
from pyspark.sql import functions as F

from cutline.engine.compose.commits import is_quarantined
from cutline.engine.compose.frames import (
    ASIDE,
    BY_COMMIT,
    CHANGE_AFTER,
    CHANGE_BEFORE,
    COMMIT_AT,
    COMMIT_OF,
    COMMIT_TIME,
    GROUP,
    IMAGE_AFTER,
    IMAGE_BEFORE,
    LANE,
    MOVED_FROM,
    MOVED_TO,
    NO_PRIOR,
    ORDER,
    PART,
    PHASE,
    RANK,
    ROW_BEFORE,
    ROW_ORDER,
    SEVERAL,
    SKEW,
    STANDS_FOR,
    STEP,
    SUPERSEDED,
    TAKEN_AWAY,
    UNREAD,
    committed_changes,
    composed_images,
)
from cutline.engine.frames import FrameColumn, step
from cutline.engine.restore import ARRIVED_AT_SUBJECT, EXISTED_BEFORE
from cutline.tables.change import DELETE, UPDATE
from cutline.translator.translator import Translator
from cutline.translator.within import WHOLE


def in_order() -> WindowSpec:
    """The images of a subject by commits, the image that stands for its commit first in each."""
    return Window.partitionBy(GROUP).orderBy(*ORDER)


def of_commit() -> WindowSpec:
    """The images of one commit of a subject, or of its snapshot. `in_order` has sorted for it."""
    return _by_commit().rangeBetween(Window.currentRow, Window.currentRow)


def _by_commit() -> WindowSpec:
    return Window.partitionBy(GROUP).orderBy(*BY_COMMIT)


@step(needs=committed_changes, returns=composed_images)
def carry_images(translator: type[Translator], rows: DataFrame) -> DataFrame:
    """One image per row: every part before and after the row's commit.

    A superseded change shows its own row as it wrote it, and the other parts as the commit left
    them. So does each change of a translator that is asked about EACH.

    A subject with two parts, and a commit per line:

    | op | part  | value | before_order | after_order | before_line | after_line |
    |----|-------|-------|--------------|-------------|-------------|------------|
    | c  | order | ann   |              | ann         |             |            |
    | c  | line  | ink   | ann          | ann         |             | ink        |
    | u  | order | bob   | ann          | bob         | ink         | ink        |
    """
    # The finer order first: Spark sorts no more for the coarser ones.
    rows = _ranked(translator, rows).select("*", *_until_then(translator))
    rows = rows.select("*", *_of_its_commit(translator))
    rows = rows.select(
        "*",
        *(column for name in translator.parts for column in _sides(translator, name)),
    )
    sources = {part.contract.source() for part in translator.parts.values()}
    skew = F.col("since") if len(sources) > 1 else F.lit(None).cast("bigint")
    computed: dict[str, Column] = {
        SKEW: skew,
        SEVERAL: F.coalesce(*(_several(name) for name in translator.parts)),
        **{ASIDE.of(name): _aside(name) for name in translator.parts},
        **{
            column: value for name in translator.parts for column, value in _moved(translator, name)
        },
    }
    return rows.withColumns(computed).select(*composed_images(translator).names)


def _ranked(translator: type[Translator], rows: DataFrame) -> DataFrame:
    """The rows with RANK and STEP, and `standing`, which orders the changes that make images."""
    changed, whole = F.col(PHASE) == 1, _whole(translator)
    goes, lane = F.col("op") == DELETE, F.col(LANE).isNotNull()
    rank = F.when(F.col(SUPERSEDED), 2).when(goes, 1).otherwise(0)
    # All changes of a row come through one partition: its order outranks clocks.
    by_commit = (F.when(~lane, F.col(c)).alias(c) for c in (COMMIT_TIME, COMMIT_AT, COMMIT_OF))
    standing = F.struct(*by_commit, (~lane & ~goes).alias("stands"), *ROW_ORDER)
    return rows.withColumns(
        {
            RANK: F.when(changed & whole, rank).otherwise(0),
            STEP: F.when(~whole, F.col("position")),
            "standing": F.when(changed & ~F.col(SUPERSEDED), standing),
        }
    )


def _until_then(translator: type[Translator]) -> list[Column]:
    """Of each part, the row that the snapshot shows and the last one before; and STANDS_FOR."""
    ordered = in_order()
    entire = ordered.rowsBetween(Window.unboundedPreceding, Window.unboundedFollowing)
    earlier = ordered.rowsBetween(Window.unboundedPreceding, -1)
    snapshot, changed = F.col(PHASE) == 0, F.col(PHASE) == 1
    columns: list[Column] = []
    for name in translator.parts:
        mine = F.col(PART) == name
        shown = F.when(snapshot & mine, F.col(CHANGE_AFTER.of(name)))
        # In a struct, because a deletion is a null row, and `last` passes over nulls.
        image = F.struct(F.col(CHANGE_AFTER.of(name)).alias("row"))
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
    commit = F.struct(PHASE, *of)
    begins = ~F.lag(commit).over(ordered).eqNullSafe(commit)
    # Superseded changes come last: one that begins a commit has a quarantined row behind it.
    begins &= ~(F.col(SUPERSEDED) & _whole(translator))
    stands = begins | (changed & ~_whole(translator)) | (F.col(PHASE) == 2)
    other_source = F.lag("source").over(ordered) != F.col("source")
    since = F.unix_micros(COMMIT_TIME) - F.unix_micros(F.lag(COMMIT_TIME).over(ordered))
    follows = changed & (F.lag(PHASE).over(ordered) == 1) & other_source
    return [*columns, stands.alias(STANDS_FOR), F.when(follows, since).alias("since")]


def _of_its_commit(translator: type[Translator]) -> list[Column]:
    """Of each part, the row after the commit and the row before its first change in it."""
    so_far = _by_commit().rangeBetween(Window.unboundedPreceding, Window.currentRow)
    whole = translator.within_transaction == WHOLE
    columns: list[Column] = []
    for name in translator.parts:
        mine = (F.col(PART) == name) & (F.col(PHASE) == 1)
        image = F.struct(F.col(CHANGE_AFTER.of(name)).alias("row"))
        left = F.max_by(image, F.when(mine, F.col("standing"))).over(so_far)
        # Before it came to this subject, the row was part of another one's images.
        before = F.when(~F.col(ARRIVED_AT_SUBJECT), F.col(CHANGE_BEFORE.of(name)))
        ends = F.col("op").isin(UPDATE, DELETE) & ~F.col(ARRIVED_AT_SUBJECT)
        unread = F.col(ROW_BEFORE) == UNREAD
        first = F.struct(before.alias("row"), ends.alias("ends"), unread.alias("unread"))
        went = mine & (F.col("op") == DELETE) & ~(F.col(SUPERSEDED) & F.lit(whole))
        if whole:
            place = F.when(mine, F.struct(*ROW_ORDER))
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
    """IMAGE_AFTER, IMAGE_BEFORE, TAKEN_AWAY and NO_PRIOR of a part."""
    snapshot, changed = F.col(PHASE) == 0, F.col(PHASE) == 1
    mine = changed & (F.col(PART) == name)
    apart = mine & (F.col(SUPERSEDED) if translator.within_transaction == WHOLE else F.lit(True))
    shown, then, left, first = (
        F.col(f"{what}_{name}") for what in ("shown", "then", "left_of", "first")
    )
    carried_on = F.when(left.isNotNull(), left.getField("row")).otherwise(shown)
    after = (
        F.when(snapshot, shown).when(apart, F.col(CHANGE_AFTER.of(name))).when(changed, carried_on)
    )
    of_change = first.getField("row")
    unread = F.coalesce(first.getField("unread"), F.lit(False))
    # A row that came unread after another's deletion, or that stood beside a deleted one.
    row_existed = unread | (F.col(f"stand_{name}") > 0)
    last_sound = F.when(then.isNotNull(), then.getField("row")).otherwise(shown)
    of_own = F.when(then.isNull() | row_existed, of_change)
    before = F.when(changed, F.coalesce(last_sound, of_own))
    lost = changed & F.coalesce(first.getField("ends"), F.lit(False)) & before.isNull()
    # A row that was created and deleted in one commit was never visible, and what was quarantined
    # was never announced.
    was_there = F.when(unread, last_sound.isNotNull()).otherwise(before.isNotNull() | lost)
    goes = F.col(f"went_{name}") | (apart & (F.col("op") == DELETE))
    return [
        after.alias(IMAGE_AFTER.of(name)),
        before.alias(IMAGE_BEFORE.of(name)),
        (goes & after.isNull() & was_there).alias(TAKEN_AWAY.of(name)),
        lost.alias(NO_PRIOR.of(name)),
    ]


def _aside(name: str) -> Column:
    mine = is_quarantined() & (F.col(PART) == name)
    return F.when(mine, F.col(CHANGE_AFTER.of(name)))


def _stand(translator: type[Translator], name: str) -> Column:
    """How many rows of a part the subject has after each commit, as far as is known."""
    part = translator.parts[name]
    snapshot, shown = F.col(PHASE) == 0, F.col(f"count_{name}")
    if set(part.contract.key()) <= set(part.subject):
        return F.when(snapshot, shown)
    changed = (F.col(PART) == name) & (F.col(PHASE) == 1)
    goes = F.col("op") == DELETE
    comes = F.col(ARRIVED_AT_SUBJECT) | ~F.col(EXISTED_BEFORE)
    more = F.when(changed & goes & F.col(EXISTED_BEFORE), -1).when(changed & ~goes & comes, 1)
    whole = translator.within_transaction == WHOLE
    until = _by_commit().rangeBetween if whole else in_order().rowsBetween
    so_far = until(Window.unboundedPreceding, Window.currentRow)
    return F.when(F.col(PHASE) < 2, shown + F.coalesce(F.sum(more).over(so_far), F.lit(0)))


def _several(name: str) -> Column:
    # After one of two rows is deleted, the content of the other one is not known.
    more = F.col(f"stand_{name}") > F.when(F.col(IMAGE_AFTER.of(name)).isNotNull(), 1).otherwise(0)
    return F.when(more, F.lit(f"several-rows:{name}"))


def _moved(translator: type[Translator], name: str) -> list[tuple[FrameColumn, Column]]:
    """MOVED_FROM and MOVED_TO, for a part that has a lifecycle."""
    lifecycle = translator.parts[name].contract.lifecycle()
    if lifecycle is None:
        return []
    logged_before, carried_before, now = (
        F.col(image.of(name)).getField(lifecycle.column)
        for image in (CHANGE_BEFORE, IMAGE_BEFORE, CHANGE_AFTER)
    )
    has_own_before = F.col(CHANGE_BEFORE.of(name)).isNotNull() & ~F.col(ARRIVED_AT_SUBJECT)
    then = F.when(has_own_before, logged_before).otherwise(carried_before)
    return [(MOVED_FROM.of(name), then), (MOVED_TO.of(name), now)]


def _whole(translator: type[Translator]) -> Column:
    return F.lit(translator.within_transaction == WHOLE)
