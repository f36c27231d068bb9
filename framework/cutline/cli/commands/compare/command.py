"""`cutline compare`"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cutline.cli import options
from cutline.cli.guard import guarded
from cutline.cli.output import result
from cutline.errors import EXIT_GOOD, EXIT_NO_GO

_TABLE = (
    "Parquet, CSV or JSON lines (a file, a folder or a glob), orders.db#table of SQLite, or "
    "postgresql://user@host/database#schema.table."
)


@guarded
def compare(
    left: Annotated[str, typer.Argument(metavar="LEFT", help=f"A table: {_TABLE}")],
    right: Annotated[str, typer.Argument(metavar="RIGHT", help="The other table.")],
    key: Annotated[
        list[str],
        typer.Option(metavar="COLUMN,COLUMN", help="What names a row, as LEFT calls it."),
    ],
    rules: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="YAML: what is renamed, left out and forgiven."),
    ] = None,
    as_text: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN,COLUMN",
            help="Compare these columns, as LEFT calls them, as texts; '*' for all.",
        ),
    ] = None,
    left_query: Annotated[
        str | None, typer.Option(metavar="SQL", help="A query to LEFT's database, for a table.")
    ] = None,
    right_query: Annotated[
        str | None, typer.Option(metavar="SQL", help="A query to RIGHT's database, for a table.")
    ] = None,
    delimiter: Annotated[
        str | None, typer.Option(help="Between two values of CSV; else a comma, or a tab in .tsv.")
    ] = None,
    encoding: Annotated[str, typer.Option(help="Of CSV files.")] = "utf-8",
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Also write comparison.json, junit.xml, comparison.html and every difference as "
            "Parquet (details) there.",
        ),
    ] = None,
    memory: Annotated[str, typer.Option(help="Spark's heap, such as 4g.")] = "2g",
    json: options.Json = False,
) -> int:
    """Compare two tables by key: which rows and values differ, and what rules forgive.

    No project is needed. Exit code 0: equal, 1: different.
    """
    from cutline.api import compare as compare_tables
    from cutline.cli.lists import split
    from cutline.cli.progress import PlainLines

    with result() as shown:
        comparison = compare_tables(
            left,
            right,
            key=split(key),
            rules=rules,
            as_text=split(as_text or ()),
            left_query=left_query,
            right_query=right_query,
            delimiter=delimiter,
            encoding=encoding,
            out=out,
            memory=memory,
            examples=not json,
            on_event=PlainLines(),
        )
        if json:
            shown.document(comparison.document)
        else:
            from cutline.cli.commands.compare.view import show_comparison

            show_comparison(shown, comparison)
    return EXIT_GOOD if comparison.equal else EXIT_NO_GO
