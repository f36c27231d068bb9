"""Older shapes of a table: what its rows looked like once, and how each is lifted to the next."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from cutline.errors import ConfigurationError
from cutline.positions import PostgresPosition

if TYPE_CHECKING:
    from cutline.translator.contract import SourceContract

EVERY_OTHER = "*"
"""Among `ignores`: no column is unknown."""


@dataclass(frozen=True)
class Older:
    """One older shape: its columns, how its rows become rows of the next newer shape, its range.

    Made by `older`, which says what each field means.
    """

    contract: type[SourceContract]
    lift: Callable[[Any], Mapping[str, Any]]
    until_position: str | None = None
    until_time: dt.datetime | None = None
    by: str | None = None

    @property
    def position(self) -> str | None:
        """The first position that is no longer of this shape, as sources compare positions."""
        return (
            None
            if self.until_position is None
            else PostgresPosition.parse(self.until_position).text
        )

    @property
    def ranged(self) -> bool:
        """Whether a range tells its rows, rather than their columns."""
        return self.until_position is not None or self.until_time is not None


def older(
    contract: type[SourceContract],
    *,
    lift: Callable[[Any], Mapping[str, Any]],
    until_position: str | None = None,
    until_time: dt.datetime | None = None,
    by: str | None = None,
) -> Older:
    """An older shape of a table, for `table(…, older=[…])`, which lists them oldest first.

    `contract` declares the columns as they were then. Its values are read in its own types; its
    checks are not asked, as the newest contract checks the lifted row. `lift` takes such a row
    (`row.amount` is a Spark column) to a dict of the next newer shape's columns; a column that it
    leaves out keeps its name and value. What a lifted value would lose in the next shape's type is
    the defect `wrong-type:<column>`.

    Rows are told by their columns, unless a range is given: rows before `until_position` in the
    log (as PostgreSQL writes it; snapshot rows lie at the consistent point), or rows whose column
    `by`, a time that every shape has, is before `until_time`. A range ends where the next begins.
    """
    return Older(contract, lift, until_position, until_time, by)


def refuse_wrong_ranges(where: str, shapes: Sequence[Older]) -> None:
    """ConfigurationError for ranges that overlap, leave a gap, or cannot be compared."""
    for shape in shapes:
        _refuse_wrong_range(f"{where}, older shape {shape.contract.__name__}", shape)
    ranged = [s for s in shapes if s.ranged]
    for shape, following in pairwise(shapes):
        if following.ranged and not shape.ranged:
            raise ConfigurationError(
                f"{where}: the older shape {shape.contract.__name__} has no range, and the range "
                f"of {following.contract.__name__} begins where nothing ends: there is a gap",
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
                f"{where}: the ranges of {shape.contract.__name__} and "
                f"{following.contract.__name__} overlap: the older one must end first",
                next_step="List the shapes oldest first, each with the end of its own range.",
            )


def _refuse_wrong_range(where: str, shape: Older) -> None:
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


def _end(shape: Older) -> Any:
    return shape.position if shape.until_time is None else shape.until_time
