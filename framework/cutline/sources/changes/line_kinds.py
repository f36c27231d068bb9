"""What the lines of a change file are, in numbers that must add up to what the files hold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyspark.sql import DataFrame

from cutline.errors import ConservationError
from cutline.sources.changes.scan import Input
from cutline.sources.text_records import LineAccounts

KINDS = ("with_rows", "boundaries", "tombstones", "of_other_tables", "without_rows")
"""The kinds of records: with rows of tables that are read; where transactions begin and end; keys
that are gone; rows of other tables; and what tells no row of any table."""


def accounted(
    cut: LineAccounts, facts: Mapping[str, Any], narrow: DataFrame, given: Input
) -> dict[str, int]:
    """`lines`, and by name what they are, where there are any.

    ConservationError, naming the file, if a record is none of KINDS, or is not there any more.
    """
    kinds = {name: int(facts[name]) for name in KINDS}
    if sum(kinds.values()) != cut.records:
        _refuse(cut, narrow, given)
    lines = sum(file.lines for file in cut.files)
    named = {**kinds, "blank_lines": cut.blanks, "of_a_licence": cut.licence}
    return {"lines": lines, **{name: n for name, n in named.items() if n}}


def _refuse(cut: LineAccounts, narrow: DataFrame, given: Input) -> None:
    # One row per file.
    there = narrow.where("item = 0").groupBy("file").count().collect()
    read = {row["file"]: row["count"] for row in there}
    told = [
        f"{path} has {file.records:,} records, and {read.get(at, 0):,} were read"
        for at, (path, file) in enumerate(zip(given.files, cut.files, strict=True))
        if file.records != read.get(at, 0)
    ] or [f"records of {', '.join(map(str, given.files))} are of no kind that is known"]
    raise ConservationError(
        f"{given.key}: {'; '.join(told)}",
        left_behind="Nothing was written.",
        next_step="This is a defect of Cutline: please report it with the file.",
    )
