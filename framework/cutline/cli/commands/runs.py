"""`cutline runs`"""

from __future__ import annotations

from pathlib import Path

from cutline.cli import options
from cutline.cli.guard import guarded
from cutline.cli.output import result

NAMES = ("run_id", "status", "decision", "created_at", "seconds", "stages", "breaks", "error")


@guarded
def runs(
    context: options.Context,
    region: options.Region,
    project: options.Project = Path(),
    json: options.Json = False,
) -> int:
    """List the runs of one slice, newest first, with what became of the breaks in each."""
    from cutline.api.choice import control_of, known_context
    from cutline.api.runs.listing import in_words, listed
    from cutline.project import load

    with result() as out:
        loaded = load(project, region)
        known_context(loaded, context)
        control = control_of(loaded)
        rows = listed(control, context, region) if control else []
        if json:
            out.document(rows)
        elif rows:
            shown = [{**row, "breaks": in_words(row["breaks"])} for row in rows]
            out.table(NAMES, [[row[name] for name in NAMES] for row in shown])
        else:
            out.line(f"No run of {context} {region} yet.")
    return 0
