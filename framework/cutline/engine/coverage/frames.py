"""The frames of coverage: values and moves that are really there, and what becomes of them."""

from __future__ import annotations

from cutline.engine.compose import CHANGE_REFERENCE
from cutline.engine.frames import Frame, FrameColumn

_SOURCE, _TABLE = (column for column in CHANGE_REFERENCE if column in ("source", "table"))
_COLUMN = FrameColumn("column", "string", "the column that is followed", False)
_VALUE = FrameColumn("value", "string", "its value as text; null as the database has it")
_COUNTED = (
    FrameColumn("rows", "bigint", "how many images there are", False),
    FrameColumn("example", "string", "the least key of their rows"),
    FrameColumn("another", "string", "the greatest key of their rows"),
)

VALUE_COVERAGE = Frame(
    "one value of a classifying column, by what becomes of the images that have it",
    (
        *(_SOURCE, _TABLE, _COLUMN, _VALUE),
        FrameColumn(
            "means",
            "string",
            "translated | understood | ignored | quarantined | ambiguous | unmapped",
            False,
        ),
        FrameColumn("rule", "string", "the rules that look at the value and hold, or why none is"),
        *_COUNTED,
    ),
)

MOVE_COVERAGE = Frame(
    "one move of a column that classifies or has a lifecycle, by what becomes of it",
    (
        *(_SOURCE, _TABLE, _COLUMN),
        FrameColumn("came_from", "string", "its value before; null as the database has it"),
        _VALUE,
        FrameColumn(
            "means",
            "string",
            "translated | understood | ignored | quarantined | ambiguous | unmapped | not asked",
            False,
        ),
        FrameColumn("rule", "string", "the rules on such moves that hold, or why none does"),
        *_COUNTED,
    ),
)
