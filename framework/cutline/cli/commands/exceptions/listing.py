"""`cutline exceptions list`"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cutline.cli import options
from cutline.cli.commands.exceptions.options import Rules
from cutline.cli.guard import guarded
from cutline.cli.output import result
from cutline.errors import ConfigurationError

RULES = ("rule", "exceptions", "subjects", "oldest_days", "money", "owners", "unowned")
ENTRIES = ("id", "rule", "aggregate", "subject", "age_days", "money", "owner", "state", "reason")
_SHORT_ID = 8


@guarded
def list_exceptions(
    context: options.Context,
    region: options.Region,
    rule: Rules = None,
    owner: Annotated[
        str | None,
        typer.Option("--owner", help="Only what somebody has.", callback=options.not_blank),
    ] = None,
    unowned: Annotated[bool, typer.Option("--unowned", help="Only what nobody has.")] = False,
    subject: Annotated[str | None, typer.Option("--subject", help="Only of this subject.")] = None,
    older_than: Annotated[
        int | None,
        typer.Option(metavar="DAYS", help="Only what is open for more than so many days."),
    ] = None,
    min_money: Annotated[
        str | None,
        typer.Option(metavar="AMOUNT", help="Only with at least so much money."),
    ] = None,
    discarded: Annotated[
        bool, typer.Option("--discarded", help="Only what is discarded, which is left out else.")
    ] = False,
    limit: Annotated[int, typer.Option(help="So many at most; all are counted by rule.")] = 50,
    project: options.Project = Path(),
    json: options.Json = False,
) -> int:
    """List the open exceptions of a slice: by rule, and then one by one, most money first, then the
    oldest."""
    from cutline.api import Project

    if owner is not None and unowned:
        raise ConfigurationError(
            "--owner and --unowned exclude each other.", next_step="Leave one of them out."
        )
    with result() as out:
        exceptions = (
            Project.open(project)
            .triage(context, region=region)
            .list(
                rules=rule or (),
                owner=owner,
                unowned=unowned,
                subject=subject,
                older_than_days=older_than,
                min_money=min_money,
                discarded=discarded,
                limit=limit,
            )
        )
        document = exceptions.as_json()
        if json:
            out.document(document)
        elif not exceptions.total:
            out.line(f"Run {exceptions.run_id} has no such exceptions.")
        else:
            rules = [row | {"owners": ", ".join(row["owners"])} for row in document["rules"]]
            out.table(RULES, [[row[name] for name in RULES] for row in rules])
            out.line()
            rows = [row | {"id": row["id"][:_SHORT_ID]} for row in document["exceptions"]]
            out.table(ENTRIES, [[row[name] for name in ENTRIES] for row in rows])
            if len(rows) < exceptions.total:
                out.line(f"{len(rows)} of {exceptions.total:,}; more with --limit")
    return 0
