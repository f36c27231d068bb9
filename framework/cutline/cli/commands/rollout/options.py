"""Options that the commands of `cutline rollout` share."""

from __future__ import annotations

from typing import Annotated

import typer

from cutline.cli.options import not_blank

DryRun = Annotated[
    bool,
    typer.Option("--dry-run", help="Show the plan, with what must hold and holds; do nothing."),
]
Why = Annotated[
    str | None, typer.Option("--why", help="Why it is done, for the ledger.", callback=not_blank)
]
ChangedBy = Annotated[
    str | None,
    typer.Option(
        "--by", help="Who does it, for the ledger; else the user's name.", callback=not_blank
    ),
]
