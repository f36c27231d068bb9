"""`cutline coverage`"""

from __future__ import annotations

from pathlib import Path

from cutline.cli import options
from cutline.cli.guard import guarded
from cutline.cli.output import result
from cutline.errors import EXIT_GOOD, EXIT_NO_GO

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
    from cutline.api.choice import known_context
    from cutline.project import load

    with result() as out:
        loaded = load(project, region)
        known_context(loaded, context)

        from cutline.api.coverage import MOST, covered

        found = covered(loaded, context, region)
        if json:
            out.document(found.as_json())
        else:
            out.table(
                NAMES,
                [
                    [*(getattr(v, n) for n in NAMES[:-1]), " ".join(v.examples)]
                    for v in found.values
                ],
            )
            if found.more:
                out.line(f"… and more than {MOST:,} values: such a column classifies nothing.")
            for table in found.undeclared:
                out.line(f"{table}: its contract calls no column classifying.")
            if found.moves:
                out.table(
                    MOVES,
                    [
                        [*(getattr(m, n) for n in MOVES[:-1]), " ".join(m.examples)]
                        for m in found.moves
                    ],
                )
                out.line(f"{found.unmapped_moves:,} rows moved as no rule says.")
            out.line(f"{found.unmapped:,} rows are unmapped.")
    return EXIT_NO_GO if found.unmapped else EXIT_GOOD
