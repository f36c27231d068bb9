"""What a source's files and tables hold, counted apart from what reads them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from cutline.errors import ConservationError
from cutline.sources.text_records import LineAccounts


@dataclass(frozen=True)
class TableInput:
    """The rows of one table that one input holds.

    `place` is where they stand, `there` how many there are by a count of its own: lines, the feet
    of Parquet files, what a database counts. `rows` are those that were read for the slice, known
    once they were written. `left_out` are those of other slices, counted apart from both; null
    where the slice has all. `beside` counts by name what else is there, and is no row.
    """

    place: str
    total_rows: int
    rows: Callable[[], int]
    other_slices: Callable[[], int] | None = None
    non_rows: Mapping[str, int] = field(default_factory=dict)

    def account(self) -> dict[str, int]:
        """`rows`, those `of_other_slices`, and what else is there, by name, where there is any.

        ConservationError, naming the place, if a row is lost or comes from nowhere.
        """
        rows = self.rows()
        left_out = 0 if self.other_slices is None else self.other_slices()
        if rows + left_out != self.total_rows:
            others = f" for the slice, {left_out:,} are of others" if self.other_slices else ""
            raise ConservationError(
                f"{self.place} holds {self.total_rows:,} rows, and {rows:,} were read{others}",
                left_behind="The stage's tables are not valid.",
                next_step="This is a defect of Cutline: please report it with the file.",
            )
        named = {"of_other_slices": left_out, **self.non_rows}
        return {"rows": rows, **{name: n for name, n in named.items() if n}}


def count_non_rows(accounts: LineAccounts) -> dict[str, int]:
    """What the files of a table hold besides its rows, in lines; and `lines`, all of them."""
    return {
        "lines": sum(file.lines for file in accounts.files),
        "headers": sum(file.headers for file in accounts.files),
        "blank_lines": accounts.blanks,
        "further_lines_of_rows": sum(file.continuation_lines for file in accounts.files),
    }
