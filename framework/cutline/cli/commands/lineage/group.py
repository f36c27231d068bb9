"""The commands of `cutline lineage`."""

from __future__ import annotations

import typer

from cutline.cli.commands.lineage.send import send

lineage = typer.Typer(
    no_args_is_help=True,
    help="OpenLineage events of runs (docs/lineage.md).",
)


@lineage.callback()
def _group() -> None:
    """OpenLineage events of runs (docs/lineage.md)."""


lineage.command()(send)
