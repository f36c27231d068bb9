"""What was there before the change that tells an event: a fact, and a time, may be older than it.

A fact that was true of a row which had to be put aside is told when the row is mended. What the row
shows by then may have been written since, so neither its moving columns nor its time are exact.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce

from pyspark.sql import Column
from pyspark.sql import functions as F

from cutline.engine.compose import UNREAD_BEFORE, existed
from cutline.engine.examine import UsedColumn, is_unstable
from cutline.engine.restore import ARRIVED
from cutline.engine.rules import AFTER, BEFORE, image
from cutline.translator.column import spark_ddl
from cutline.translator.translator import Translator

NAMES_OF_BEFORE = "names_of_before"
"""The names that the image right before says, sound or not; null where nothing is told anyway."""

_MOMENT = "timestamp"


@dataclass(frozen=True)
class PriorState:
    """What was there before the change that tells an event; both are never null.

    `held` is whether the fact was true already, or may have been. `dated` is whether the event's
    time stood there already, so that the change did not set it, or may have.
    """

    already_true: Column
    time_already_set: Column


def held_before(name: Column) -> Column:
    """Whether the image right before said the name, or could not be read; never null."""
    names = F.col(NAMES_OF_BEFORE)
    return F.col(UNREAD_BEFORE) | F.coalesce(F.array_contains(names, name), F.lit(False))


def came_from_other_subject(translator: type[Translator]) -> Column:
    """Whether the row came from another subject: what it was there is in no image; never null."""
    return F.coalesce(F.col(ARRIVED), F.lit(False)) & existed(translator, AFTER)


def unchanged(translator: type[Translator], part: str, column: str) -> Column:
    """Whether a column of a part is what it was before the change; never null."""
    after, before = (image(side, part).getField(column) for side in (AFTER, BEFORE))
    if "map<" in spark_ddl(translator.parts[part].contract.columns()[column]):
        # Spark compares no maps.
        after, before = F.to_json(F.struct(after)), F.to_json(F.struct(before))
    return after.eqNullSafe(before)


def unchanged_times(translator: type[Translator], columns: Iterable[UsedColumn]) -> list[Column]:
    """The moments in those of the parts' columns that the change did not set; else null."""
    return [
        F.when(unchanged(translator, part, name), image(AFTER, part).getField(name).cast(_MOMENT))
        for part, name in columns
        if is_moment(translator, part, name)
    ]


def is_moment(translator: type[Translator], part: str, column: str) -> bool:
    """Whether a column of a part holds a time or a day."""
    return spark_ddl(translator.parts[part].contract.columns()[column]) in (_MOMENT, "date")


def any_of(conditions: list[Column]) -> Column:
    return reduce(Column.__or__, conditions, F.lit(False))


def time_set_by_change(translator: type[Translator], time: Column) -> Column:
    """Whether a time whose column is not known was set by the change, or never moves; never null.

    It is, where it is the value of columns that all are new or stable; and in the first image.
    """
    columns = [
        (name, column)
        for name, part in translator.parts.items()
        for column in part.contract.columns()
        if is_moment(translator, name, column)
    ]
    moving = [used for used in columns if is_unstable(translator, *used)]
    values = [image(AFTER, name).getField(column).cast(_MOMENT) for name, column in columns]
    unchanged_values = any_of([t.eqNullSafe(time) for t in unchanged_times(translator, moving)])
    shown = any_of([value.eqNullSafe(time) for value in values])
    return ~existed(translator, BEFORE) | (shown & ~unchanged_values)
