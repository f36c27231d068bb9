"""Rows that were held until another came: when it comes, they end as the image that it completes.

A part that is logged before its parent makes images in which something is missing. The first image
of the subject in which nothing is missing any more tells what holds, of the rows that waited too:
its end is theirs. From one such image to the next is a wait; all of it happens within the exchange
that composed the subject, in the order of its images.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from cutline.engine.compose import GROUP, PART, STANDS_FOR, SUPERSEDED, existed, in_order
from cutline.engine.decide.image_end import LOOKUP_AWAITED, PART_AWAITED
from cutline.engine.decide.shared_ends import LATER_CHANGE, WITHIN
from cutline.engine.end import END, end, with_end
from cutline.engine.restore import ROW_GROUP
from cutline.engine.rules import AFTER, image
from cutline.tables.change import DELETE
from cutline.tables.disposition import EXCEPTIONAL, NO_OP, QUARANTINED
from cutline.translator.part import HOLD, Lookup, Part
from cutline.translator.translator import Translator

CHANGED_WHILE_HELD = "changed-while-held"
"""The rule of a change that was held, and that another of its row follows in the same wait."""

_NTH, _AWAITS, _WAIT = "nth_of_subject", "awaits", "wait"


def may_hold_rows(translator: type[Translator]) -> bool:
    """Whether rows of the translator may wait for a part or for what they look up."""
    return bool(_held_for(translator.parts) or _held_for(translator.lookups))


def waiting_columns(translator: type[Translator]) -> list[Column]:
    """The columns that `release_held_rows` needs of images that have their `end`."""
    return [
        F.row_number().over(in_order()).alias(_NTH),
        _awaits(translator).alias(_AWAITS),
        F.col(ROW_GROUP),
        F.col(PART),
    ]


def release_held_rows(rows: DataFrame) -> DataFrame:
    """The rows of `share_ends`, those that were held with the end of the image that let them go.

    That is the first image behind them, of the same subject, in which nothing is missing, or in
    which no row of the subject is left; sound or not, what becomes of it becomes of them. Of a row
    that changed while it was held the last change has that end; the others have
    CHANGED_WHILE_HELD, unless the image was put aside. A row that was deleted while it was held
    waits no more, whatever the subject's others do. What nothing let go says what is missing in the
    end.
    """
    rows = _with_waits(rows)
    row = Window.partitionBy(GROUP, _WAIT, PART, ROW_GROUP)
    readable = F.col("was_readable")
    went = readable & (F.col("op") == DELETE) & ~F.col("held")
    went &= F.col(STANDS_FOR) | ~F.col(SUPERSEDED)
    # Of the changes of a row in one commit, the last is the one that none follows.
    place, own = F.struct("commit_nth", ~F.col(SUPERSEDED)), F.struct(*END)
    rows = rows.withColumns(
        {
            "last_change": F.max(F.when(readable, place)).over(row),
            "deleted_at": F.max(F.when(went, place)).over(row),
            "deletion": F.max_by(F.when(went, own), F.when(went, place)).over(row),
        }
    )
    deleted_later = F.coalesce(place < F.col("deleted_at"), F.lit(False))
    by = F.when(deleted_later, F.col("deletion")).when(
        F.col("completes").isNotNull(), _with_reason(F.col("completes"))
    )
    aside = by.getField("disposition").isin(*EXCEPTIONAL)
    within = end(NO_OP, F.lit(WITHIN), F.lit(LATER_CHANGE))
    changed = F.concat(F.lit("a later change of the row stands for it; it was held as "), "rule")
    over = F.when(F.col(SUPERSEDED) & ~F.col(STANDS_FOR), within).otherwise(
        end(NO_OP, F.lit(CHANGED_WHILE_HELD), changed)
    )
    followed = place < F.col("last_change")
    ours = F.when(by.isNotNull() & followed & ~aside, over).otherwise(by)
    ours = F.coalesce(ours, F.col("missing_yet"))
    return with_end(rows, F.col("held"), ours)


def _with_waits(rows: DataFrame) -> DataFrame:
    """The rows with `held`, the number of their wait in the subject, and how that ends.

    `commit_nth` is the place, among the subject's images, of the one that stands for the row.
    `completes` is the place and the end of the image that lets go, null where none does yet;
    `missing_yet` the end of the last image that was held.
    """
    stands = F.col("was_readable") & F.col(STANDS_FOR)
    completes = stands & ~F.col(_AWAITS)
    so_far = (
        Window.partitionBy(GROUP)
        .orderBy(_NTH)
        .rowsBetween(Window.unboundedPreceding, Window.currentRow)
    )
    ended = F.coalesce(F.sum(F.when(completes, 1)).over(so_far), F.lit(0))
    # All rows of a commit are in the wait of the one that stands for them.
    leader = F.last(F.when(stands, F.struct(_NTH, completes.alias("completes"))), ignorenulls=True)
    leads = leader.over(so_far)
    before = ended - F.coalesce(leads.getField("completes"), F.lit(False)).cast("int")
    is_held = F.col("was_readable") & _is_held(F.col("disposition"), F.col("rule"))
    rows = rows.withColumns(
        {
            "held": F.coalesce(is_held, F.lit(False)),
            "commit_nth": leads.getField(_NTH),
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
                F.when(lasting, F.struct(*END)), F.when(lasting, F.col(_NTH))
            ).over(wait),
        }
    )


def _awaits(translator: type[Translator]) -> Column:
    """Whether something is missing that the subject's rows wait for; never null."""
    missing = [_is_held(F.col("end.disposition"), F.col("end.rule"))]
    has_rows = existed(translator, AFTER)
    missing += [has_rows & image(AFTER, name).isNull() for name in _held_for(translator.parts)]
    looks = image(AFTER, next(iter(translator.parts))).isNotNull()
    missing += [looks & image(AFTER, name).isNull() for name in _held_for(translator.lookups)]
    return F.coalesce(reduce(Column.__or__, missing), F.lit(False))


def _held_for(declared: Mapping[str, Part] | Mapping[str, Lookup]) -> list[str]:
    """Those of which a missing row is waited for."""
    return [name for name, one in declared.items() if one.required and one.missing == HOLD]


def _is_held(disposition: Column, rule: Column) -> Column:
    waits = rule.startswith(PART_AWAITED) | rule.startswith(LOOKUP_AWAITED)
    return (disposition == QUARANTINED) & waits


def _with_reason(completes: Column) -> Column:
    """The end of the image that lets go, which says where that lies, and for whom it waited."""
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
