"""Coverage of a slice: each value of the classifying columns, and what is made of it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any

from cutline.masking import Masking, masking
from cutline.project import Project

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row

    from cutline.translator import Translation

MOST = 1000
"""Values that are shown; where a column has more of them, it classifies nothing."""

_ORDER = ("unmapped", "ambiguous", "quarantined", "ignored", "understood", "translated")


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
class Coverage:
    """What a slice's translators make of what is really there.

    `undeclared` are the tables of which no contract says which columns classify: nothing can be
    told of them. `more` says that there are more values than are shown.
    """

    context: str
    region: str
    values: tuple[Covered, ...]
    undeclared: tuple[str, ...]
    more: bool

    @property
    def unmapped(self) -> int:
        """Rows with a value that no rule has an eye on, or of which a to-do is left."""
        return sum(v.rows for v in self.values if v.means == "unmapped")

    def as_json(self) -> dict[str, Any]:
        """The same as one JSON document."""
        return {**asdict(self), "unmapped": self.unmapped}


def covered(project: Project, context: str, region: str) -> Coverage:
    """The coverage of one slice, from its sources as they stand."""
    from cutline.engine.blame import blaming
    from cutline.engine.coverage import coverage
    from cutline.run.look import look
    from cutline.spark.together import together
    from cutline.stages.extract import EXTRACT_STAGE
    from cutline.stages.translate import inputs_of

    with look(project, context, region, EXTRACT_STAGE) as workspace:
        inputs = inputs_of(workspace)
        translators = workspace.translation.translators
        work = [lambda t=t: coverage(t, inputs) for t in translators]
        frames = together(workspace.spark, work)
        found = [frame for frame in frames if frame is not None]
        with blaming(translators, inputs):
            rows = _collected(found) if found else []
        mask = masking([workspace.translation])
        return Coverage(
            context,
            region,
            tuple(_covered(row, mask) for row in rows[:MOST]),
            _undeclared(workspace.translation),
            len(rows) > MOST,
        )


def _collected(frames: list[DataFrame]) -> list[Row]:
    from pyspark.sql import DataFrame
    from pyspark.sql import functions as F

    union = reduce(DataFrame.unionByName, frames)
    rank = F.array_position(F.array(*map(F.lit, _ORDER)), F.col("means"))
    return (
        union.orderBy(rank, "source", "table", "column", F.desc("rows"), "value", "rule")
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


def _undeclared(translation: Translation) -> tuple[str, ...]:
    parts = [part.contract for t in translation.translators for part in t.parts.values()]
    return tuple(f"{c.source()}.{c.table()}" for c in parts if not c.classifying())
