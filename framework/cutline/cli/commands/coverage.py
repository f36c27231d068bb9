"""`cutline coverage`"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cutline.cli import options
from cutline.cli.guard import guarded
from cutline.cli.output import Output, result
from cutline.errors import EXIT_GOOD, EXIT_NO_GO

if TYPE_CHECKING:
    from cutline.api import SliceCoverage, ValueCoverage

MOVES = ("table", "column", "came_from", "value", "means", "rule", "rows", "examples")
NAMES = ("table", "column", "value", "means", "rule", "rows", "examples")


@guarded
def coverage(
    context: options.Context,
    region: options.Region,
    project: options.Project = Path(),
    json: options.Json = False,
) -> int:
    """Show what the rules make of every value that is really there.

    Of each column that its contract calls classifying, every value is shown with the rows that have
    it: translated by which rules, understood, ignored or quarantined for which reason, or unmapped.
    Where a source has changes, the moves that were made are shown too, from which value to which,
    and those that no rule has an eye on. Nothing is recorded. Exit code 1 says that a value is
    unmapped.
    """
    from cutline.api import Project

    with result() as out:
        coverage = Project.open(project).coverage(context, region=region)
        if json:
            out.document(coverage.as_json())
        else:
            _show(out, coverage)
    return EXIT_NO_GO if coverage.unmapped else EXIT_GOOD


def _show(out: Output, coverage: SliceCoverage) -> None:
    out.table(NAMES, [_row(value, NAMES) for value in coverage.values])
    if coverage.more:
        out.line(f"… and more than {coverage.MOST:,} values: such a column classifies nothing.")
    for table in coverage.undeclared:
        out.line(f"{table}: its contract calls no column classifying.")
    if coverage.moves:
        out.table(MOVES, [_row(move, MOVES) for move in coverage.moves])
        out.line(f"{coverage.unmapped_moves:,} rows moved as no rule says.")
    out.line(f"{coverage.unmapped:,} rows are unmapped.")


def _row(value: ValueCoverage, names: Sequence[str]) -> list[object]:
    """What the columns of that name hold; the examples are the last of them."""
    return [*(getattr(value, name) for name in names[:-1]), " ".join(value.examples)]
