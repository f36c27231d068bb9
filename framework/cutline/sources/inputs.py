"""What a source's files and tables hold, counted apart from what reads them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from cutline.errors import ConservationError
from cutline.sources.text_records import Cut


@dataclass(frozen=True)
class TableInput:
    """The rows of one table that one input holds.

    `place` is where they stand, `there` how many there are by a count of its own: lines, the feet
    of Parquet files, what a database counts. `rows` are those that were read for the slice, known
    once they were written. `left_out` are those of other slices, counted apart from both; null
    where the slice has all. `beside` counts by name what else is there, and is no row.
    """

    place: str
    there: int
    rows: Callable[[], int]
    left_out: Callable[[], int] | None = None
    beside: Mapping[str, int] = field(default_factory=dict)

    def account(self) -> dict[str, int]:
        """`rows`, those `of_other_slices`, and what else is there, by name, where there is any.

        ConservationError, naming the place, if a row is lost or comes from nowhere.
        """
        rows = self.rows()
        left_out = 0 if self.left_out is None else self.left_out()
        if rows + left_out != self.there:
            others = f" for the slice, {left_out:,} are of others" if self.left_out else ""
            raise ConservationError(
                f"{self.place} holds {self.there:,} rows, and {rows:,} were read{others}",
                left_behind="The stage's tables are not valid.",
                next_step="This is a defect of Cutline: please report it with the file.",
            )
        named = {"of_other_slices": left_out, **self.beside}
        return {"rows": rows, **{name: n for name, n in named.items() if n}}


def beside_rows(cut: Cut) -> dict[str, int]:
    """What the files of a table hold besides its rows, in lines; and `lines`, all of them."""
    return {
        "lines": sum(file.lines for file in cut.files),
        "headers": sum(file.headers for file in cut.files),
        "blank_lines": cut.blanks,
        "further_lines_of_rows": sum(file.inner for file in cut.files),
    }
