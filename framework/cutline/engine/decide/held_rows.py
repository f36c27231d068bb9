"""Held rows: when the missing row comes, they get the end of the image that it completes.

A part that is logged before its parent makes incomplete images, whose rows are held. The first
complete image of the subject releases them: its end is theirs. The images from behind one complete
image up to the next are a wait. All of it happens in the exchange that composed the subject.

| op | part  | rule of the image by itself | rule in the end    |
|----|-------|-----------------------------|--------------------|
| c  | line  | part-awaited:order          | changed-while-held |
| u  | line  | part-awaited:order          | Placed             |
| c  | order | Placed                      | Placed             |
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from cutline.engine.compose import GROUP, PART, STANDS_FOR, SUPERSEDED, existed, in_order
from cutline.engine.decide.frames import AWAITS, NTH, WAITING, WAITING_COLUMNS, WAS_READABLE
from cutline.engine.decide.image_end import LOOKUP_AWAITED, PART_AWAITED
from cutline.engine.decide.shared_ends import LATER_CHANGE, WITHIN
from cutline.engine.end import END, end, with_end
from cutline.engine.frames import step
from cutline.engine.restore import ROW_GROUP
from cutline.engine.rules import AFTER, image
from cutline.tables.change import DELETE
from cutline.tables.disposition import EXCEPTIONAL, NO_OP, QUARANTINED
from cutline.translator.part import HOLD, Lookup, Part
from cutline.translator.translator import Translator

CHANGED_WHILE_HELD = "changed-while-held"
"""The rule of a held change that another change of its row follows in the same wait."""

_WAIT = "wait"


def may_hold_rows(translator: type[Translator]) -> bool:
    """Whether rows of the translator may wait for a part or a lookup."""
    return bool(_held_for(translator.parts) or _held_for(translator.lookups))


def waiting_columns(translator: type[Translator]) -> list[Column]:
    """WAITING_COLUMNS, from images that have their `end`."""
    computed = {NTH: F.row_number().over(in_order()), AWAITS: _awaits(translator)}
    return [computed.get(name, F.col(name)).alias(name) for name in WAITING_COLUMNS]


@step(needs=WAITING)
def release_held_rows(rows: DataFrame) -> DataFrame:
    """The rows of `share_ends`; held rows have the end of the image that releases them.

    That is the next image of the subject in which nothing is missing, or in which no row of the
    subject is left, whether it is sound or not. Of several changes of one held row, the last gets
    that end; the others get CHANGED_WHILE_HELD, unless the releasing image is quarantined or
    ambiguous. A row that is deleted while it is held gets the end of its deletion. Rows that no
    image releases keep the end of the last held image, which says what is missing.
    """
    columns = rows.columns
    rows = _with_waits(rows)
    row = Window.partitionBy(GROUP, _WAIT, PART, ROW_GROUP)
    readable = F.col(WAS_READABLE)
    deletes = readable & (F.col("op") == DELETE) & ~F.col("held")
    deletes &= F.col(STANDS_FOR) | ~F.col(SUPERSEDED)
    # Of the changes of a row in one commit, the last is the one that none follows.
    place, own_end = F.struct("commit_nth", ~F.col(SUPERSEDED)), F.struct(*END)
    rows = rows.withColumns(
        {
            "last_change": F.max(F.when(readable, place)).over(row),
            "deleted_at": F.max(F.when(deletes, place)).over(row),
            "deletion": F.max_by(F.when(deletes, own_end), F.when(deletes, place)).over(row),
        }
    )
    deleted_later = F.coalesce(place < F.col("deleted_at"), F.lit(False))
    released_end = F.when(deleted_later, F.col("deletion")).when(
        F.col("completes").isNotNull(), _with_reason(F.col("completes"))
    )
    is_exceptional = released_end.getField("disposition").isin(*EXCEPTIONAL)
    superseded_end = end(NO_OP, F.lit(WITHIN), F.lit(LATER_CHANGE))
    reason = F.concat(F.lit("a later change of the row stands for it; it was held as "), "rule")
    changed_end = F.when(F.col(SUPERSEDED) & ~F.col(STANDS_FOR), superseded_end).otherwise(
        end(NO_OP, F.lit(CHANGED_WHILE_HELD), reason)
    )
    followed = place < F.col("last_change")
    changed = released_end.isNotNull() & followed & ~is_exceptional
    new_end = F.when(changed, changed_end).otherwise(released_end)
    new_end = F.coalesce(new_end, F.col("missing_yet"))
    return with_end(rows, F.col("held"), new_end).select(*columns)


def _with_waits(rows: DataFrame) -> DataFrame:
    """The rows with `held`, the number of their wait in the subject, and the end of that wait.

    `commit_nth` is the NTH of the image that stands for the row. `completes` has place and end of
    the releasing image, and is null where none has come; `missing_yet` is the end of the wait's
    last held image.
    """
    stands = F.col(WAS_READABLE) & F.col(STANDS_FOR)
    completes = stands & ~F.col(AWAITS)
    so_far = (
        Window.partitionBy(GROUP)
        .orderBy(NTH)
        .rowsBetween(Window.unboundedPreceding, Window.currentRow)
    )
    ended = F.coalesce(F.sum(F.when(completes, 1)).over(so_far), F.lit(0))
    # All rows of a commit are in the wait of the image that stands for them.
    leader = F.last(F.when(stands, F.struct(NTH, completes.alias("completes"))), ignorenulls=True)
    leads = leader.over(so_far)
    before = ended - F.coalesce(leads.getField("completes"), F.lit(False)).cast("int")
    is_held = F.col(WAS_READABLE) & _is_held(F.col("disposition"), F.col("rule"))
    rows = rows.withColumns(
        {
            "held": F.coalesce(is_held, F.lit(False)),
            "commit_nth": leads.getField(NTH),
            _WAIT: before,
        }
    )
    wait = Window.partitionBy(GROUP, _WAIT)
    place = F.struct("source", "table", "position", *END)
    lasting = stands & F.col("held")
    return rows.withColumns(
        {
            "completes": F.max(F.when(completes, place)).over(wait),
            "missing_yet": F.max_by(
                F.when(lasting, F.struct(*END)), F.when(lasting, F.col(NTH))
            ).over(wait),
        }
    )


def _awaits(translator: type[Translator]) -> Column:
    """Whether a part or lookup is missing that the subject's rows wait for; never null."""
    missing = [_is_held(F.col("end.disposition"), F.col("end.rule"))]
    has_rows = existed(translator, AFTER)
    missing += [has_rows & image(AFTER, name).isNull() for name in _held_for(translator.parts)]
    looks = image(AFTER, next(iter(translator.parts))).isNotNull()
    missing += [looks & image(AFTER, name).isNull() for name in _held_for(translator.lookups)]
    return F.coalesce(reduce(Column.__or__, missing), F.lit(False))


def _held_for(declared: Mapping[str, Part] | Mapping[str, Lookup]) -> list[str]:
    """The names of the parts or lookups that rows wait for."""
    return [name for name, one in declared.items() if one.required and one.missing == HOLD]


def _is_held(disposition: Column, rule: Column) -> Column:
    waits = rule.startswith(PART_AWAITED) | rule.startswith(LOOKUP_AWAITED)
    return (disposition == QUARANTINED) & waits


def _with_reason(completes: Column) -> Column:
    """The end of the releasing image, with its place and what was missing in the reason."""
    place = (completes.getField(name) for name in ("source", "table"))
    where = F.concat_ws(".", *place)
    until = F.concat(
        F.lit("it was held as "),
        "rule",
        F.lit(" until the commit of "),
        where,
        F.lit(" at "),
        completes.getField("position"),
    )
    return F.struct(
        completes.getField("disposition").alias("disposition"),
        completes.getField("rule").alias("rule"),
        F.concat_ws(": ", until, completes.getField("reason")).alias("reason"),
    )
