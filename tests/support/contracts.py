"""Contracts made in a line, and what the engine finds of their rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyspark.sql.types as T
from pyspark.sql import DataFrame, SparkSession

from cutline.engine.restore import RestoreOptions
from cutline.engine.restore.classify import classify_changes, with_sides
from cutline.engine.translate import Changes
from cutline.translator import SourceContract, column, table
from cutline.translator.part import Part
from support.changes import changes_table, snapshot


def contract(
    columns: Mapping[str, tuple[Any, Any]], *, key: str = "id", **config: Any
) -> type[SourceContract]:
    """A contract of these columns (type and `column`), after `id` where that is the key."""
    if key == "id":
        columns = {"id": (T.StringType, column(doc="id", nullable=False)), **columns}
    return type(
        "Rows",
        (SourceContract,),
        {
            "__annotations__": {name: kind for name, (kind, _) in columns.items()},
            **{name: field for name, (_, field) in columns.items()},
            "Config": type("Config", (), {"metadata": table("old", "rows", key=[key]), **config}),
        },
    )


def looked_at(changes: Changes, row_contract: type[SourceContract]) -> DataFrame:
    """The changes of a contract keyed by `id`, after the first look at each."""
    rows = with_sides(changes.frame, changes.lines, changes.features)
    return classify_changes(
        rows, Part(row_contract, ("id",)), RestoreOptions(changes.lines, changes.features)
    )


def failed(
    spark: SparkSession, row_contract: type[SourceContract], rows: Sequence[Mapping[str, Any]]
) -> list[list[str]]:
    """The rules that each snapshot row breaks, without `contract:`, in the order of the rows."""
    numbered = [{"id": str(i), **row} for i, row in enumerate(rows)]
    changes = changes_table(spark, row_contract, [snapshot(row) for row in numbered])
    checked_rows = looked_at(changes, row_contract).select("after.id", "row_checks")
    by_id = {
        r["id"]: [c.removeprefix("contract:") for c in r["row_checks"]]
        for r in checked_rows.collect()
    }
    return [by_id[row["id"]] for row in numbered]
