"""`cutline rollout decisions`"""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from cutline.cli import options
from cutline.cli.guard import guarded
from cutline.cli.output import Output, result
from cutline.errors import EXIT_GOOD, EXIT_NO_GO

if TYPE_CHECKING:
    from cutline.api import SliceDecisions, StrayDecision

NAMES = (
    *("rule", "side", "aggregate", "subject", "type", "place", "at", "epoch"),
    *("authority", "other", "settled", "id"),
)


@guarded
def decisions(
    context: options.Context,
    region: options.Region,
    project: options.Project = Path(),
    json: options.Json = False,
) -> int:
    """Hold what both sides decided against who had the authority; exit code 1 if one had not.

    Sources and live topics are read as they are now. Nothing is recorded.
    """
    from cutline.api import Project

    with result() as out:
        decided = Project.open(project).rollout(context, region=region).decisions()
        if json:
            out.document(decided.as_json())
        else:
            _show(out, decided)
    return EXIT_NO_GO if decided.unsettled else EXIT_GOOD


def _show(out: Output, decided: SliceDecisions) -> None:
    if decided.strays:
        out.table(NAMES, [_row(stray) for stray in decided.strays])
    if decided.total > len(decided.strays):
        out.line(f"… and {decided.total - len(decided.strays):,} more.")
    out.line(f"{decided.context}/{decided.region}: {decided.sentence}")
    first = next((s for s in decided.strays if s.settled_by is None), None)
    if first is not None:
        place = f"{decided.context} --region {decided.region}"
        out.line(
            "next: let one side have each of them; then for each "
            f"cutline rollout settle {place} {shlex.quote(first.id)} --why WHY"
        )


def _row(stray: StrayDecision) -> list[object]:
    authority = "never issued" if stray.authority is None else stray.authority
    epoch = "" if stray.authority_epoch is None else f", epoch {stray.authority_epoch}"
    at = "" if stray.at is None else f"{stray.at:%Y-%m-%d %H:%M:%S}"
    return [
        *(stray.rule, stray.side, stray.aggregate or "", stray.subject or "", stray.type),
        *(stray.place, at, "" if stray.epoch is None else stray.epoch, f"{authority}{epoch}"),
        *(stray.other_id or "", stray.settled_by or "", stray.id),
    ]
