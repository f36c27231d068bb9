"""`cutline publications`"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cutline.cli import options
from cutline.cli.guard import guarded
from cutline.cli.output import result

PUBLISHED: tuple[str, ...] = (
    *("run_id", "topic", "partition", "first_offset", "last_offset", "records", "bytes"),
    *("standing", "differing", "withdrawn", "digest", "read_back_at"),
)
PLANNED: tuple[str, ...] = (
    *("topic", "partition", "topic_is", "records", "bytes"),
    *("standing", "differing", "withdrawn"),
)


@guarded
def publications(
    context: Annotated[
        str | None,
        typer.Argument(metavar="CONTEXT", help="The bounded context; left out, all of them."),
    ] = None,
    region: Annotated[
        str | None, typer.Option("--region", help="The region; left out, all of them.")
    ] = None,
    run: Annotated[
        str | None,
        typer.Option("--run", metavar="RUN", help="With --dry-run: a run other than the newest."),
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", help="Show what a run would send to Kafka now; nothing is sent or made."
        ),
    ] = False,
    project: options.Project = Path(),
    json: options.Json = False,
) -> int:
    """List what was published to Kafka, partition by partition, newest run first."""
    from cutline.api import Project
    from cutline.errors import ConfigurationError

    if run is not None and not dry_run:
        raise ConfigurationError("--run is for --dry-run", next_step="Leave it out.")
    with result() as out:
        opened = Project.open(project)
        if dry_run:
            rows = opened.planned_publications(context, region=region, run=run).as_json()
        else:
            rows = opened.publications(context, region=region).as_json()
        names = PLANNED if dry_run else PUBLISHED
        if json:
            out.document(rows)
        elif rows:
            out.table(names, [[row[name] for name in names] for row in rows])
        else:
            out.line("Nothing was published to Kafka yet.")
    return 0
