"""What a profile says; text and JSON are views of it. Nothing in it grows with the data."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from cutline import display
from cutline.masking import MASK
from cutline.secrets import document_as_written

TIMES = ("date", "timestamp", "timestamp_ntz")


@dataclass(frozen=True)
class ValueCount:
    """A value, or the shape of values, as text, and the rows that have it."""

    value: str
    rows: int


@dataclass(frozen=True)
class ColumnProfile:
    """One column of a table, over the rows that could be read.

    `type` is the Spark type that every value fits without a loss; `timestamp_ntz` says that no
    value has a zone. `read_as` is the type that the source gives. `unreadable` counts values that
    are no text in the source's encoding. `distinct` leaves nulls out; it is an estimate (to about
    2 %) where `distinct_exact` is false. `low` and `high` are the least and the greatest value in
    the order of the type, cut at 80 characters; `shortest` and `longest` count characters. `top`
    are the values that come most, ties by text, none where each comes once; `whole` says that there
    are no others. `shapes` are the forms that come most: `A9` is capitals followed by digits.
    `hints` are for people. Where `hidden`, no value of the column is in the profile.
    """

    name: str
    type: str
    read_as: str
    nulls: int
    empty: int
    unreadable: int
    distinct: int
    distinct_exact: bool
    shortest: int | None = None
    longest: int | None = None
    low: str | None = None
    high: str | None = None
    top: tuple[ValueCount, ...] = ()
    whole: bool = False
    shapes: tuple[ValueCount, ...] = ()
    hints: tuple[str, ...] = ()
    hidden: bool = False

    @property
    def is_time(self) -> bool:
        """Whether the column holds dates or moments."""
        return self.type in TIMES


@dataclass(frozen=True)
class TimesSet:
    """Of the rows with one value: how many have a time in `column`, and the range of those."""

    column: str
    rows: int
    low: str | None
    high: str | None


@dataclass(frozen=True)
class StatusValue:
    """A value of a column that may classify rows; null counts as a value.

    `times` has an entry per time column.
    """

    value: str | None
    rows: int
    times: tuple[TimesSet, ...]

    @property
    def always(self) -> tuple[str, ...]:
        """The time columns that every row with this value has set."""
        return tuple(t.column for t in self.times if t.rows == self.rows)

    @property
    def sometimes(self) -> tuple[str, ...]:
        """The time columns that some rows with this value have set, and others not."""
        return tuple(t.column for t in self.times if 0 < t.rows < self.rows)


@dataclass(frozen=True)
class Statuses:
    """A column with few values, each seen beside the times of its rows, most frequent first.

    `contrast` says how much the values differ in which times are set: the sum, over the time
    columns, of the largest less the smallest share. A column that says nothing about times has 0.
    """

    column: str
    contrast: float
    values: tuple[StatusValue, ...]


@dataclass(frozen=True)
class NearKey:
    """Columns that identify all rows but `lacking`, which have no value in one of them."""

    columns: tuple[str, ...]
    lacking: int


@dataclass(frozen=True, repr=False)
class TableProfile:
    """One table, or one region's rows of it.

    `rows` counts all rows, `unreadable` those of which nothing could be read. `keys` are the least
    sets of columns that are never null and unique over all rows; `near_keys` those that are unique
    where they have a value, which one row in a hundred may lack at most. `statuses` are the columns
    that may say what a row means, the likeliest first.
    """

    source: str
    table: str
    kind: str
    place: str
    region: str | None
    rows: int
    unreadable: int
    columns: tuple[ColumnProfile, ...]
    keys: tuple[tuple[str, ...], ...]
    statuses: tuple[Statuses, ...]
    near_keys: tuple[NearKey, ...] = ()

    @document_as_written
    def as_json(self) -> dict[str, Any]:
        """The document of `cutline profile --json`."""
        return asdict(self)

    def __repr__(self) -> str:
        return f"<TableProfile {self.name}: {self.rows:,} rows, {len(self.columns)} columns>"

    def _repr_html_(self) -> str:
        names = ("column", "type", "nulls", "distinct", "low", "high", "most frequent", "look at")
        rows = [
            [
                column.name,
                column.type,
                column.nulls,
                column.distinct,
                MASK if column.hidden else column.low,
                MASK if column.hidden else column.high,
                [f"{count.value} {count.rows:,}" for count in column.top[:3]],
                column.hints,
            ]
            for column in self.columns
        ]
        keys = "; ".join(" + ".join(key) for key in self.keys) or "none"
        return display.section(
            f"{self.name}: {self.rows:,} rows",
            display.paragraph(f"key candidates: {keys}"),
            display.table(names, rows),
        )

    @property
    def name(self) -> str:
        """The table as people write it."""
        return f"{self.source}.{self.table}"

    @property
    def times(self) -> tuple[ColumnProfile, ...]:
        """The columns that hold dates or moments."""
        return tuple(c for c in self.columns if c.is_time)

    def column(self, name: str) -> ColumnProfile | None:
        """The column of that name, if there is one."""
        return next((c for c in self.columns if c.name == name), None)
