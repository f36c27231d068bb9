"""A run's outcome in a few lines for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from cutline.cli.opened import command
from cutline.run.outcome import RunOutcome


def summary(outcome: RunOutcome, project: Path) -> Iterator[str]:
    """The decision and why, the books that are not empty, and where to look further."""
    record = outcome.record
    yield f"{verdict(outcome)}  {record.context} {record.region}  run {record.run_id}"
    if outcome.already_complete:
        yield "This run was already complete: the same inputs give the same run."
    if record.decided_by:
        yield f"  why           {record.decided_by}"
    for name in ("dispositions", "verdicts", "exceptions", "findings", "breaks"):
        if book := {k: n for k, n in outcome.book(name).items() if n}:
            yield f"  {name:<13} {_book(book)}"
    for name, classes in outcome.outcomes().items():
        yield f"  outcome       {name}: {_book({k: n for k, n in classes.items() if n})}"
    yield f"  unexplained   {outcome.unexplained}"
    if outcome.report:
        yield f"  report        {outcome.report}"
    yield f"  lake          {outcome.lake}"
    look = "breaks" if any(outcome.book("breaks").values()) else "exceptions"
    yield f"  look deeper   {command(f'show {record.run_id} {look}', project)}"


def verdict(outcome: RunOutcome) -> str:
    """The decision in capitals, or how far the run came."""
    return (outcome.record.decision or f"{outcome.record.status}, not decided").upper()


def _book(entries: Mapping[str, int]) -> str:
    return ", ".join(f"{n:,} {name}" for name, n in entries.items()) or "empty"
