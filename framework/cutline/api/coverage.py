"""Coverage of a slice: each value of the classifying columns, and what is made of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any

from cutline.masking import Masking, masking
from cutline.project import LoadedProject

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row

    from cutline.translator import Translation

MOST = 1000
"""Values that are shown; where a column has more of them, it classifies nothing."""

_ORDER = (
    "unmapped",
    "ambiguous",
    "quarantined",
    "ignored",
    "not asked",
    "understood",
    "translated",
)


@dataclass(frozen=True)
class Covered:
    """One value of one classifying column, one thing that is made of it, and how many rows."""

    table: str
    column: str
    value: str | None
    means: str
    rule: str
    rows: int
    examples: tuple[str, ...]
    """Keys of the first and the last such row; masked where they are personal."""


@dataclass(frozen=True)
class Moved(Covered):
    """One move of a column from `came_from` to `value`, and one thing that is made of it."""

    came_from: str | None = None


@dataclass(frozen=True)
class Coverage:
    """What a slice's translators make of what is really there.

    `undeclared` are the tables of which no contract says which columns classify: nothing can be
    told of them. `more` says that there are more values or moves than are shown. `moves` are those
    of the columns that classify or have a lifecycle, where a source has changes.
    """

    context: str
    region: str
    values: tuple[Covered, ...]
    undeclared: tuple[str, ...]
    more: bool
    moves: tuple[Moved, ...] = ()

    @property
    def unmapped(self) -> int:
        """Rows with a value that no rule has an eye on, or of which a to-do is left."""
        return sum(v.rows for v in self.values if v.means == "unmapped")

    @property
    def unmapped_moves(self) -> int:
        """Rows that made a move which no rule has an eye on, of those that are asked about."""
        return sum(move.rows for move in self.moves if move.means == "unmapped")

    def as_json(self) -> dict[str, Any]:
        """The same as one JSON document."""
        counts = {"unmapped": self.unmapped, "unmapped_moves": self.unmapped_moves}
        return {**asdict(self), **counts}


def covered(project: LoadedProject, context: str, region: str) -> Coverage:
    """The coverage of one slice, from its sources as they stand."""
    from cutline.engine.coverage.moves import moves_made
    from cutline.engine.coverage.values import coverage
    from cutline.engine.rule_errors import blaming
    from cutline.run.look import look
    from cutline.spark.together import together
    from cutline.stages.extract import EXTRACT_STAGE
    from cutline.stages.translate import inputs_of

    with look(project, context, region, EXTRACT_STAGE) as workspace:
        inputs = inputs_of(workspace)
        translators = workspace.translation.translators
        work = [
            lambda t=t, of=of: of(t, inputs) for of in (coverage, moves_made) for t in translators
        ]
        frames = together(workspace.spark, work)
        values, moves = frames[: len(translators)], frames[len(translators) :]
        with blaming(translators, inputs):
            rows, moved = _collected(values, "value"), _collected(moves, "came_from", "value")
        mask = masking([workspace.translation])
        return Coverage(
            context,
            region,
            tuple(_covered(row, mask) for row in rows[:MOST]),
            _undeclared(workspace.translation),
            len(rows) > MOST or len(moved) > MOST,
            tuple(_moved(row, mask) for row in moved[:MOST]),
        )


def _collected(frames: Sequence[DataFrame | None], *values: str) -> list[Row]:
    """The first of what there is, what nobody decided first."""
    from pyspark.sql import DataFrame
    from pyspark.sql import functions as F

    found = [frame for frame in frames if frame is not None]
    if not found:
        return []
    union = reduce(DataFrame.unionByName, found)
    rank = F.array_position(F.array(*map(F.lit, _ORDER)), F.col("means"))
    return (
        union.orderBy(rank, "source", "table", "column", F.desc("rows"), *values, "rule")
        .limit(MOST + 1)
        .collect()
    )


def _covered(row: Row, mask: Masking) -> Covered:
    keys = (mask.key(row["source"], row["table"], row[n]) for n in ("example", "another"))
    return Covered(
        f"{row['source']}.{row['table']}",
        row["column"],
        row["value"],
        row["means"],
        row["rule"],
        row["rows"],
        tuple(dict.fromkeys(key for key in keys if key is not None)),
    )


def _moved(row: Row, mask: Masking) -> Moved:
    return Moved(**asdict(_covered(row, mask)), came_from=row["came_from"])


def _undeclared(translation: Translation) -> tuple[str, ...]:
    parts = [part.contract for t in translation.translators for part in t.parts.values()]
    return tuple(f"{c.source()}.{c.table()}" for c in parts if not c.classifying())
