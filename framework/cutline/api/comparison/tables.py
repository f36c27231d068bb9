"""The comparison of two tables: two DataFrames, or two places of tables."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from cutline.api.comparison.result import ComparisonResult
from cutline.errors import ConfigurationError
from cutline.run.progress import OnEvent, ignore_events

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from cutline_reconciliation.compare import Rules


def compare(
    left: str | Path | DataFrame,
    right: str | Path | DataFrame,
    *,
    key: Iterable[str],
    rules: Rules | str | Path | None = None,
    as_text: Iterable[str] = (),
    left_query: str | None = None,
    right_query: str | None = None,
    delimiter: str | None = None,
    encoding: str = "utf-8",
    out: str | Path | None = None,
    memory: str = "2g",
    examples: bool = True,
    on_event: OnEvent = ignore_events,
) -> ComparisonResult:
    """Compare two tables by key: which rows and values differ, and what rules forgive.

    Both are DataFrames, or both are written as for `cutline compare`: a file, a folder or a glob of
    Parquet, CSV or JSON lines, `orders.db#orders`, or
    `postgresql://user@host/database#schema.table`. `key` names what tells rows apart, as the left
    side calls it. `rules` are a file or an object; docs/comparing.md tells what they may say.

    `left_query` and `right_query` are SQL for a database that is named without a table; `delimiter`
    and `encoding` are of CSV. The columns `as_text` are compared as texts, `*` for all. They and
    `memory`, Spark's heap where there is no session yet, are not for DataFrames.

    `out` is a folder that all views and the details are written to. `examples`, which take work of
    their own, are in the document; with `out` they always are. ConfigurationError for what is
    written wrong, RunFailed for what fails on the way.
    """
    from cutline.api.comparison.frames import compare_frames
    from cutline.api.comparison.places import PlacesToCompare, compare_places

    columns = tuple(key)
    folder = None if out is None else Path(out)
    if not isinstance(left, str | Path) and not isinstance(right, str | Path):
        return compare_frames(left, right, columns, rules, folder, examples=examples)
    if not isinstance(left, str | Path) or not isinstance(right, str | Path):
        raise ConfigurationError(
            "One side is a DataFrame, and the other the name of a table.",
            next_step="Read the other one with Spark first, or write the DataFrame as Parquet.",
        )
    places = PlacesToCompare(
        left=str(left),
        right=str(right),
        key=columns,
        rules=rules,
        as_text=frozenset(as_text),
        queries=(left_query, right_query),
        delimiter=delimiter,
        encoding=encoding,
        out=folder,
        memory=memory,
        examples=examples,
    )
    return compare_places(places, on_event)
