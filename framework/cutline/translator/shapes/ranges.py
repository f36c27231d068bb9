"""The ranges of older shapes, which must follow each other without gap or overlap."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from cutline.errors import ConfigurationError
from cutline.translator.contract_protocol import OlderShape
from cutline.translator.names import class_name


def refuse_wrong_ranges(where: str, shapes: Sequence[OlderShape]) -> None:
    """ConfigurationError for ranges that overlap, leave a gap, or cannot be compared."""
    for shape in shapes:
        _refuse_wrong_range(f"{where}, older shape {class_name(shape.contract)}", shape)
    ranged = [s for s in shapes if s.ranged]
    for shape, following in pairwise(shapes):
        if following.ranged and not shape.ranged:
            raise ConfigurationError(
                f"{where}: the older shape {class_name(shape.contract)} has no range, and the "
                f"range of {class_name(following.contract)} begins where nothing ends: there is "
                "a gap",
                next_step="Say until when each shape up to that one was written.",
            )
    if len({(s.until_position is None, s.by) for s in ranged}) > 1:
        raise ConfigurationError(
            f"{where}: its older shapes end at positions and at times of different columns, which "
            "cannot be compared",
            next_step="Give all of them `until_position`, or `until_time` by one column.",
        )
    for shape, following in pairwise(ranged):
        if _end(shape) >= _end(following):
            raise ConfigurationError(
                f"{where}: the ranges of {class_name(shape.contract)} and "
                f"{class_name(following.contract)} overlap: the older one must end first",
                next_step="List the shapes oldest first, each with the end of its own range.",
            )


def _refuse_wrong_range(where: str, shape: OlderShape) -> None:
    if shape.until_position is not None and shape.until_time is not None:
        raise ConfigurationError(f"{where}: it ends at a position or at a time, not at both")
    if (shape.until_time is None) != (shape.by is None):
        raise ConfigurationError(
            f"{where}: `until_time` and `by` go together: a moment, and the column that has it"
        )
    if shape.until_time is not None and shape.until_time.tzinfo is None:
        raise ConfigurationError(f"{where}: until_time {shape.until_time} has no time zone")
    try:
        _ = shape.position
    except ConfigurationError as error:
        raise ConfigurationError(
            f"{where}: until_position: {error.what}", next_step=error.next_step
        ) from error


def _end(shape: OlderShape) -> Any:
    return shape.position if shape.until_time is None else shape.until_time
