"""`cutline compare-runs`"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cutline.cli import options
from cutline.cli.guard import guarded
from cutline.cli.output import result

PARTS = ("kind", "name", "rows_left", "rows_right", "alike", "changed", "removed", "added")
CLUSTERS = ("kind", "change", "name", "differing", "count")


@guarded
def compare_runs(
    left: Annotated[str, typer.Argument(metavar="RUN", help="The earlier run, by its id.")],
    right: Annotated[str, typer.Argument(metavar="RUN", help="The later run of the same slice.")],
    index: Annotated[
        Path | None,
        typer.Option("--index", metavar="DIR", help="Write a page into this site of reports."),
    ] = None,
    project: options.Project = Path(),
    json: options.Json = False,
) -> int:
    """Say which events, states and breaks differ between two runs of a slice, by cluster.

    Ends with 0 also where they differ: that is what a comparison is for.
    """
    from cutline.api import Project

    with result() as out:
        compared = Project.open(project).compare_runs(left, right, index=index)
        if json:
            out.document(compared.as_json())
            return 0
        out.line(compared.sentence)
        out.line()
        parts = compared.document["parts"]
        out.table(PARTS, [[part[name] for name in PARTS] for part in parts])
        rows = [
            [part["kind"], *(_cell(cluster[name]) for name in CLUSTERS[1:])]
            for part in parts
            for cluster in part["clusters"]
        ]
        if rows:
            out.line()
            out.table(CLUSTERS, rows)
        if compared.page is not None:
            out.line()
            out.line(str(compared.page))
    return 0


def _cell(value: object) -> object:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else value
