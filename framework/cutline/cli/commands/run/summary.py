"""A run's outcome in a few lines for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from cutline.errors import EXIT_GOOD, EXIT_NO_GO

if TYPE_CHECKING:
    from cutline.api import Run
    from cutline.cli.output import Output


def show_run(out: Output, run: Run, *, json: bool) -> int:
    """Show a run as one document or in a few lines; the exit code that its decision gives."""
    if json:
        out.document(run.as_json())
    else:
        for line in summary(run):
            out.line(line)
    return EXIT_NO_GO if run.decision == "no-go" else EXIT_GOOD


def summary(run: Run) -> Iterator[str]:
    """The decision and why, the books that are not empty, and where to look further."""
    counts = run.counts
    yield f"{verdict(run)}  {run.context} {run.region}  run {run.id}"
    if run.already_complete:
        yield "This run was already complete: the same inputs give the same run."
    if run.overtaken_by:
        yield f"Run {run.overtaken_by}, of other inputs, is newer and stands for the slice."
        yield f"To have this one stand for it: {again_command(run)}"
    if run.decided_by:
        yield f"  why           {run.decided_by}"
    for name in ("dispositions", "verdicts", "exceptions", "findings", "breaks"):
        if book := {entry: n for entry, n in getattr(counts, name).items() if n}:
            yield f"  {name:<13} {_book(book)}"
    for name, classes in counts.outcomes.items():
        yield f"  outcome       {name}: {_book({k: n for k, n in classes.items() if n})}"
    yield f"  unexplained   {counts.unexplained}"
    if run.report:
        yield f"  report        {run.report}"
    yield f"  lake          {run.lake}"
    look = "breaks" if any(counts.breaks.values()) else "exceptions"
    yield f"  look deeper   {run.project.command(f'show {run.id} {look}')}"


def verdict(run: Run) -> str:
    """The decision in capitals, or how far the run came."""
    return (run.decision or f"{run.status}, not decided").upper()


def again_command(run: Run) -> str:
    """What makes a run again that another overtook."""
    return run.project.command(f"run {run.context} --region {run.region} --again")


def _book(entries: Mapping[str, int]) -> str:
    return ", ".join(f"{n:,} {name}" for name, n in entries.items()) or "empty"
