"""What was so before the change that announces an event: fact and time may be older than it.

A fact of a quarantined row is announced when the row has become sound. Its columns may have changed
in between: so neither the payload's moving columns nor the time are exact.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce

from pyspark.sql import Column
from pyspark.sql import functions as F

from cutline.engine.compose import UNREAD_BEFORE, existed
from cutline.engine.examine import UsedColumn, is_unstable
from cutline.engine.frames import FrameColumn
from cutline.engine.restore import ARRIVED_AT_SUBJECT
from cutline.engine.rules import AFTER, BEFORE, image
from cutline.translator.column import spark_ddl
from cutline.translator.translator import Translator

NAMES_OF_BEFORE = FrameColumn(
    "names_of_before",
    "array<string>",
    "the names that the image right before the change says, sound or not; null for a snapshot row, "
    "and where the change itself is not sound",
)

_MOMENT = "timestamp"
_TIMES = (_MOMENT, "timestamp_ntz", "date")


@dataclass(frozen=True)
class PriorState:
    """What was so before the change that announces an event; both columns are never null."""

    already_true: Column
    """Whether the fact was true already, or may have been."""
    time_already_set: Column
    """Whether the row had the event's time already, or may have had it, before the change."""


def held_before(name: Column) -> Column:
    """Whether the image right before has the name, or could not be read; never null."""
    names = F.col(NAMES_OF_BEFORE)
    return F.col(UNREAD_BEFORE) | F.coalesce(F.array_contains(names, name), F.lit(False))


def came_from_other_subject(translator: type[Translator]) -> Column:
    """Whether the row came from another subject, whose images are not read here; never null."""
    return F.coalesce(F.col(ARRIVED_AT_SUBJECT), F.lit(False)) & existed(translator, AFTER)


def unchanged(part: str, column: str) -> Column:
    """Whether a part's column has the value that it had before the change; never null."""
    after, before = (image(side, part).getField(column) for side in (AFTER, BEFORE))
    return after.eqNullSafe(before)


def unchanged_times(translator: type[Translator], columns: Iterable[UsedColumn]) -> list[Column]:
    """The moments in those columns: null where the change has set the column."""
    return [
        F.when(unchanged(part, name), image(AFTER, part).getField(name).cast(_MOMENT))
        for part, name in columns
        if is_moment(translator, part, name)
    ]


def is_moment(translator: type[Translator], part: str, column: str) -> bool:
    """Whether a column of a part holds a time or a day."""
    return spark_ddl(translator.parts[part].contract.columns()[column]) in _TIMES


def any_of(conditions: list[Column]) -> Column:
    return reduce(Column.__or__, conditions, F.lit(False))


def time_set_by_change(translator: type[Translator], time: Column) -> Column:
    """Whether the change has set a time whose column is not known; never null.

    It has, if the time is the value of some column, and of none that changes and kept it. In the
    first image of a subject every time counts as set.
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
