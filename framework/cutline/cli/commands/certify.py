"""`cutline certify`"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cutline.cli import options
from cutline.cli.guard import guarded
from cutline.cli.output import result
from cutline.errors import EXIT_GOOD, EXIT_NO_GO

NAMES = ("obligation", "source", "status", "says", "by")


@guarded
def certify(
    run: Annotated[str, typer.Argument(metavar="RUN", help="A run's id, or how it begins.")],
    project: options.Project = Path(),
    prove: Annotated[
        bool,
        typer.Option(
            "--prove",
            help="Read the sources' last images as a snapshot, and look for facts that were never "
            "told (O6). Takes about as long as the run.",
        ),
    ] = False,
    json: options.Json = False,
) -> int:
    """Show a run's convergence certificate: what it proves of itself, and what it takes on trust.

    Each of the nine obligations is proven (by which figures), assumed (by whom), held (which rows
    contradict it and are put aside) or violated (where). Exit code 1 says that one is violated;
    such a run has stopped. Before that, every table and the report of the run are read and held
    against what was written: exit code 3 says which is not.
    """
    from cutline.api import Project

    with result() as out:
        certificate = Project.open(project).find_run(run).certificate(prove=prove)
        rows = certificate.as_json()
        if json:
            out.document(rows)
        else:
            shown = [{**row, "source": row["source"] or "all"} for row in rows]
            out.table(NAMES, [[row[name] for name in NAMES] for row in shown])
    return EXIT_NO_GO if certificate.violated else EXIT_GOOD
