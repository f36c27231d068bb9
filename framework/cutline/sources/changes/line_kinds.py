"""The lines of a change file by kind, in numbers that must add up to all lines of its files."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import DataFrame

from cutline.errors import ConservationError
from cutline.sources.changes.change_input import ChangeInput
from cutline.sources.text_records import LineAccounts


def count_line_kinds(
    accounts: LineAccounts, kinds: Mapping[str, int], narrow: DataFrame, change_input: ChangeInput
) -> dict[str, int]:
    """`lines`, and the number of lines of each kind; zeros are left out.

    ConservationError, naming the file, if a record is of no kind, or was lost since the files were
    read.
    """
    if sum(kinds.values()) != accounts.records:
        _refuse_lost_records(accounts, narrow, change_input)
    lines = sum(file.lines for file in accounts.files)
    counts = {**kinds, "blank_lines": accounts.blanks, "of_a_licence": accounts.licence}
    return {"lines": lines, **{name: n for name, n in counts.items() if n}}


def _refuse_lost_records(
    accounts: LineAccounts, narrow: DataFrame, change_input: ChangeInput
) -> None:
    # One row per file.
    counts = narrow.where("item = 0").groupBy("file").count().collect()
    read = {row["file"]: row["count"] for row in counts}
    messages = [
        f"{path} has {file.records:,} records, and {read.get(at, 0):,} were read"
        for at, (path, file) in enumerate(zip(change_input.files, accounts.files, strict=True))
        if file.records != read.get(at, 0)
    ] or [f"records of {', '.join(map(str, change_input.files))} are of no kind that is known"]
    raise ConservationError(
        f"{change_input.key}: {'; '.join(messages)}",
        left_behind="Nothing was written.",
        next_step="This is a defect of Cutline: please report it with the file.",
    )
