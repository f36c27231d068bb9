"""Coverage of a slice: rows by each value of the classifying columns, and by the rule for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any, ClassVar

from cutline import display
from cutline.masking import Masking, masking
from cutline.project import LoadedProject
from cutline.secrets import document_as_written

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row

    from cutline.translator import Translation

MOST = 1000
"""The most values that are shown; a column with more is no classifying one."""

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
class ValueCoverage:
    """The number of rows with one value of a classifying column and one result of the rules."""

    table: str
    column: str
    value: str | None
    means: str
    rule: str
    rows: int
    examples: tuple[str, ...]
    """Keys of the first and the last such row; masked where they are personal."""


@dataclass(frozen=True)
class MoveCoverage(ValueCoverage):
    """The number of moves of a column from `came_from` to `value` with one result of the rules."""

    came_from: str | None = None


@dataclass(frozen=True, repr=False)
class SliceCoverage:
    """The results of a slice's rules on the rows of its sources.

    `undeclared` are tables without a classifying column in any contract, which have no coverage.
    `more` says that there are more values or moves than are shown. `moves` are those of columns
    that classify or have a lifecycle, of sources with changes.
    """

    MOST: ClassVar[int] = MOST

    context: str
    region: str
    values: tuple[ValueCoverage, ...]
    undeclared: tuple[str, ...]
    more: bool
    moves: tuple[MoveCoverage, ...] = ()

    @property
    def unmapped(self) -> int:
        """Rows with a value that no rule handles, or only a to-do."""
        return sum(v.rows for v in self.values if v.means == "unmapped")

    @property
    def unmapped_moves(self) -> int:
        """Rows with a move that no rule handles, of columns whose moves have rules."""
        return sum(move.rows for move in self.moves if move.means == "unmapped")

    @document_as_written
    def as_json(self) -> dict[str, Any]:
        """The document of `cutline coverage --json`."""
        counts = {"unmapped": self.unmapped, "unmapped_moves": self.unmapped_moves}
        return {**asdict(self), **counts}

    def __repr__(self) -> str:
        return (
            f"<SliceCoverage {self.context} {self.region}: {self.unmapped:,} rows unmapped, "
            f"{self.unmapped_moves:,} moved as no rule says>"
        )

    def _left_out(self) -> list[str]:
        more = f"… and more than {self.MOST:,} values: such a column classifies nothing."
        undeclared = (f"{t}: its contract calls no column classifying." for t in self.undeclared)
        return [*([more] if self.more else []), *undeclared]

    def _repr_html_(self) -> str:
        columns = ("table", "column", "value", "means", "rule", "rows", "examples")
        values = [[getattr(value, name) for name in columns] for value in self.values]
        moved = ("table", "column", "came_from", *columns[2:])
        moves = [[getattr(move, name) for name in moved] for move in self.moves]
        return display.section(
            f"{self.unmapped:,} rows of {self.context} {self.region} are unmapped",
            display.table(columns, values),
            *([display.table(moved, moves)] if moves else []),
            *map(display.paragraph, self._left_out()),
        )


def slice_coverage(project: LoadedProject, context: str, region: str) -> SliceCoverage:
    """The coverage of one slice, from its sources as they are now."""
    from cutline.engine.coverage import move_coverage, value_coverage
    from cutline.engine.rule_errors import attribute_rule_errors
    from cutline.run.look import temporary_stages
    from cutline.spark.parallel import run_parallel
    from cutline.stages.extract import EXTRACT_STAGE
    from cutline.stages.sound_tables import with_sound_tables
    from cutline.stages.translate import inputs_of

    with temporary_stages(project, context, region, (EXTRACT_STAGE,)) as workspace:
        inputs = inputs_of(workspace)
        translators = workspace.translation.translators
        with attribute_rule_errors(translators, inputs):
            inputs = with_sound_tables(translators, inputs)
            work = [
                lambda t=t, of=of: of(t, inputs)
                for of in (value_coverage, move_coverage)
                for t in translators
            ]
            frames = run_parallel(workspace.spark, work)
            values, moves = frames[: len(translators)], frames[len(translators) :]
            rows, moved = _collected(values, "value"), _collected(moves, "came_from", "value")
        mask = masking([workspace.translation])
        return SliceCoverage(
            context,
            region,
            tuple(_value(row, mask) for row in rows[:MOST]),
            _undeclared(workspace.translation),
            len(rows) > MOST or len(moved) > MOST,
            tuple(_move(row, mask) for row in moved[:MOST]),
        )


def _collected(frames: Sequence[DataFrame | None], *values: str) -> list[Row]:
    """The first rows of the frames, undecided values first."""
    from pyspark.sql import DataFrame
    from pyspark.sql import functions as F

    covered = [frame for frame in frames if frame is not None]
    if not covered:
        return []
    union = reduce(DataFrame.unionByName, covered)
    rank = F.array_position(F.array(*map(F.lit, _ORDER)), F.col("means"))
    return (
        union.orderBy(rank, "source", "table", "column", F.desc("rows"), *values, "rule")
        .limit(MOST + 1)
        .collect()
    )


def _value(row: Row, mask: Masking) -> ValueCoverage:
    """What is known of a value, or move, of a column; of a personal one not which it is."""
    keys = (mask.key(row["source"], row["table"], row[n]) for n in ("example", "another"))
    return ValueCoverage(
        f"{row['source']}.{row['table']}",
        row["column"],
        mask.value(row["column"], row["value"]),
        row["means"],
        row["rule"],
        row["rows"],
        tuple(dict.fromkeys(key for key in keys if key is not None)),
    )


def _move(row: Row, mask: Masking) -> MoveCoverage:
    came_from = mask.value(row["column"], row["came_from"])
    return MoveCoverage(**asdict(_value(row, mask)), came_from=came_from)


def _undeclared(translation: Translation) -> tuple[str, ...]:
    parts = [part.contract for t in translation.translators for part in t.parts.values()]
    return tuple(f"{c.source()}.{c.table()}" for c in parts if not c.classifying())
