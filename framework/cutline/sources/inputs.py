"""How many rows the files and tables of a source hold, counted apart from reading them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from cutline.errors import ConservationError
from cutline.sources.text_records import LineAccounts


@dataclass(frozen=True)
class TableInput:
    """The rows that one input holds of one table.

    `place` names the input, for messages. `total_rows` is the number of its rows by an independent
    count: lines of text files, footers of Parquet files, `count(*)` of a database. `rows` gives the
    number that was read for the slice, once they were written. `other_slices` gives the number of
    rows of other slices, counted apart from both; null where the slice takes all rows. `non_rows`
    counts by name what else the input holds.
    """

    place: str
    total_rows: int
    rows: Callable[[], int]
    other_slices: Callable[[], int] | None = None
    non_rows: Mapping[str, int] = field(default_factory=dict)

    def account(self) -> dict[str, int]:
        """The number of `rows`, of those `of_other_slices`, and of non-rows by name; zeros are left
        out.

        ConservationError, naming the input, if a row is lost or counted twice.
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
    """The lines of a table's files by what they are other than rows; and `lines`, all of them."""
    return {
        "lines": sum(file.lines for file in accounts.files),
        "headers": sum(file.headers for file in accounts.files),
        "blank_lines": accounts.blanks,
        "further_lines_of_rows": sum(file.continuation_lines for file in accounts.files),
    }
