"""`cutline exceptions redrive`"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cutline.cli import options
from cutline.cli.commands.exceptions.options import Ids, Rules
from cutline.cli.guard import guarded
from cutline.cli.output import result

if TYPE_CHECKING:
    from cutline.api import RedrivePlan


@guarded
def redrive(
    context: options.Context,
    region: options.Region,
    translator: Annotated[
        str,
        typer.Option(metavar="VERSION", help="The version of the installed translation to use."),
    ],
    exceptions: Ids = None,
    rule: Rules = None,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Try it, say what would change, and leave no trace."),
    ] = False,
    project: options.Project = Path(),
    json: options.Json = False,
) -> int:
    """Translate what exceptions concern with another version of the translation, and nothing else.

    All open exceptions that are not discarded, unless ids or rules are named. It is a run over the
    newest complete one: no source is read, other subjects stay as they are, and with GO the topics
    get what they do not hold. The exit code is that of its decision; with --dry-run it is 0.
    """
    from cutline.api import Project
    from cutline.cli.commands.run.summary import show_run
    from cutline.cli.progress import progress

    with result() as out:
        triage = Project.open(project).triage(context, region=region)
        ids, rules = exceptions or (), rule or ()
        if dry_run:
            plan = triage.plan_redrive(translator, exceptions=ids, rules=rules)
            if json:
                out.document(plan.as_json())
            for line in () if json else _lines(plan):
                out.line(line)
            return 0
        with progress() as on_event:
            run = triage.redrive(translator, exceptions=ids, rules=rules, on_event=on_event)
        return show_run(out, run, json=json)


def _lines(plan: RedrivePlan) -> Iterator[str]:
    yield f"run {plan.run_id} over {plan.base_run}; nothing was changed"
    for name, (then, now) in plan.translators.items():
        yield f"  {name} {then} → {now}"
    yield f"  translated anew: {plan.rows:,} keys of rows, {plan.subjects:,} subjects"
    for title, counts in (
        ("re-driven", plan.exceptions.selected),
        ("settled", plan.exceptions.settled),
        ("stay", plan.exceptions.left),
        ("new", plan.exceptions.new),
    ):
        yield f"  exceptions {title}: {_shown(counts)}"
    for title, counts in (
        ("released", plan.events.released),
        ("corrected", plan.events.corrected),
        ("withdrawn (topics keep them)", plan.events.withdrawn),
        ("differing under their id (not sent again)", plan.events.differing),
    ):
        yield f"  events {title}: {_shown(counts)}"
    if plan.events.behind:
        yield (
            f"  of the released, {plan.events.behind:,} are of a time before events of their "
            "subject that may be published: consumers see them behind these"
        )


def _shown(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{number:,} {name}" for name, number in counts.items()) or "none"
