"""The comparison of two tables: two DataFrames, or two places of tables."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from cutline.api.arguments import names
from cutline.api.comparison.result import ComparisonResult
from cutline.errors import ConfigurationError
from cutline.run.progress import OnEvent, ignore_events

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from cutline_reconciliation.compare import Rules

_ENCODING, _MEMORY = "utf-8", "2g"


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
    encoding: str = _ENCODING,
    out: str | Path | None = None,
    memory: str = _MEMORY,
    examples: bool = True,
    on_event: OnEvent = ignore_events,
) -> ComparisonResult:
    """Compare two tables by key: which rows and values differ, and what rules forgive.

    Both are DataFrames, or both are written as for `cutline compare`: a file, a folder or a glob of
    Parquet, CSV or JSON lines, `orders.db#orders`, or
    `postgresql://user@host/database#schema.table`. `key` names what tells rows apart, as the left
    side calls it; a text is one name, also of `as_text`. `rules` are a file or an object;
    docs/comparing.md tells what they may say.

    `left_query` and `right_query` are SQL for a database that is named without a table; `delimiter`
    and `encoding` are of CSV; `memory` is Spark's heap where there is no session yet. With
    DataFrames these are refused. The columns `as_text` are compared as texts, `*` for all.

    `out` is a folder that all views and the details are written to. `examples`, which take work of
    their own, are in the document; with `out` they always are. ConfigurationError for what is
    written wrong, RunFailed for what fails on the way.
    """
    from cutline.api.comparison.frames import compare_frames
    from cutline.api.comparison.places import PlacesToCompare, compare_places

    columns = names("key", key)
    texts = frozenset(names("as_text", as_text))
    _require_kinds(left, right, rules)
    folder = None if out is None else Path(out)
    if not isinstance(left, str | Path) and not isinstance(right, str | Path):
        _refuse_for_frames(
            left_query=left_query is not None,
            right_query=right_query is not None,
            delimiter=delimiter is not None,
            encoding=encoding != _ENCODING,
            memory=memory != _MEMORY,
        )
        names("key", columns, required=True)
        return compare_frames(left, right, columns, rules, texts, folder, examples=examples)
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
        as_text=texts,
        queries=(left_query, right_query),
        delimiter=delimiter,
        encoding=encoding,
        out=folder,
        memory=memory,
        examples=examples,
    )
    return compare_places(places, on_event)


def _require_kinds(left: object, right: object, rules: object) -> None:
    """ConfigurationError for a side that is no table, and for rules that are none."""
    for name, side in (("left", left), ("right", right)):
        if not isinstance(side, str | Path) and not _is_frame(side):
            kind = f"{type(side).__module__}.{type(side).__name__}".removeprefix("builtins.")
            raise ConfigurationError(
                f"{name}: {kind} is neither a DataFrame of Spark nor the name of a table.",
                next_step="Make a DataFrame of it with spark.createDataFrame(…), or name a file.",
            )
    if rules is not None and not isinstance(rules, str | Path) and not _is_rules(rules):
        raise ConfigurationError(
            f"rules: {type(rules).__name__} is neither a file nor Rules.",
            next_step="Name a file of rules, or write Rules.model_validate(…) of "
            "cutline_reconciliation.compare.",
        )


def _is_rules(rules: object) -> bool:
    from cutline_reconciliation.compare import Rules

    return isinstance(rules, Rules)


def _is_frame(side: object) -> bool:
    from pyspark.sql import DataFrame

    return isinstance(side, DataFrame)


def _refuse_for_frames(**options: bool) -> None:
    """ConfigurationError if options are given that say how tables are read."""
    if names := [name for name, is_given in options.items() if is_given]:
        raise ConfigurationError(
            f"Two DataFrames are compared as they are: {', '.join(names)} "
            f"{'does' if len(names) == 1 else 'do'} not apply.",
            next_step="Leave it out." if len(names) == 1 else "Leave them out.",
        )
