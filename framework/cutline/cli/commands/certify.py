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
    from cutline.api.choice import control_of
    from cutline.api.runs.finding import found_run
    from cutline.project import load

    with result() as out:
        loaded = load(project)
        record = found_run(control_of(loaded), run, project)

        from cutline.api.certificate import certificate_of, proven_at_rest, refuse_changed

        refuse_changed(loaded, record)
        rows = certificate_of(loaded, record)
        if prove:
            found = proven_at_rest(loaded, record)
            for row in rows:
                if row["obligation"] == found.code:
                    row.update(status=found.status, by=found.by)
        if json:
            out.document(rows)
        else:
            shown = [{**row, "source": row["source"] or "all"} for row in rows]
            out.table(NAMES, [[row[name] for name in NAMES] for row in shown])
    return EXIT_NO_GO if any(row["status"] == "violated" for row in rows) else EXIT_GOOD
