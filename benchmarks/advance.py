"""A slice that goes on after few changes, beside a run over everything: ratios within one machine.

    python benchmarks/advance.py [--orders N] [--share PERCENT] [--no-quick-start] [--repeat R]
                                 [--folder FOLDER]

The demo's estate, of whose change files and live topics the last lines are held back, so many
percent of them. `cutline advance` makes the first run of the slice; then the lines come, and it
goes on from there. `cutline run` over all of it, in a copy, is what that is held against. Each is
a process of its own with the defaults that a user has; with --no-quick-start few orders have those
of many. Prints Markdown; nothing is asserted.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from whole_run import REGION, demo_estate, run_project, set_spark

CONTEXT = "fulfilment"


@dataclass(frozen=True)
class Cycle:
    """A command: its seconds, MiB at the peak, and what it printed."""

    seconds: float
    peak: float
    document: dict[str, Any]

    def stages(self) -> dict[str, float]:
        """Seconds by stage."""
        return {stage["name"]: stage["seconds"] for stage in self.document["stages"]}


def held_back(project: Path, percent: float) -> dict[Path, bytes]:
    """Takes the last lines of each file that grows away; the whole content by file."""
    growing = [project / "extract/changes/erp.jsonl", *(project / "topics").glob("*.live/*.jsonl")]
    contents = {path: path.read_bytes() for path in growing}
    for path, content in contents.items():
        lines = content.splitlines(keepends=True)
        path.write_bytes(b"".join(lines[: round(len(lines) * (1 - percent / 100))]))
    return contents


def measured(folder: Path, orders: int, percent: float, quick: bool) -> tuple[Cycle, Cycle, Cycle]:
    """The first run, the one that goes on from it, and one over everything.

    SystemExit if the last two end with another decision or another run.
    """
    project = demo_estate(folder, orders)
    if not quick:
        set_spark(project, quick_start=False)
    whole = Path(shutil.copytree(project, folder / "whole"))
    contents = held_back(project, percent)
    first = cycle(project, "advance")
    for path, content in contents.items():
        path.write_bytes(content)
    advanced = cycle(project, "advance")
    everything = cycle(whole, "run")
    ends = [(c.document["run_id"], c.document["decision"]) for c in (advanced, everything)]
    if ends[0] != ends[1]:
        raise SystemExit(f"the advance ended as {ends[0]}, and the whole run as {ends[1]}")
    return first, advanced, everything


def cycle(project: Path, verb: str) -> Cycle:
    """One command."""
    seconds, peak, _, document = run_project(project, CONTEXT, REGION, verb)
    return Cycle(seconds, peak, document)


def table(rounds: Sequence[tuple[Cycle, Cycle, Cycle]]) -> str:
    """Medians by stage, and the advance's share of the run over everything."""
    lines = ["| | first run | advance | run over everything | share |", "|---|---:|---:|---:|---:|"]

    def row(name: str, figures: Sequence[Sequence[float]]) -> None:
        first, advanced, everything = map(statistics.median, zip(*figures, strict=True))
        cells = [f"{first:,.1f}", f"{advanced:,.1f}", f"{everything:,.1f}"]
        lines.append(f"| {name} | {' | '.join(cells)} | {advanced / everything:.0%} |")

    for stage in rounds[0][2].stages():
        row(f"{stage}, s", [[c.stages()[stage] for c in cycles] for cycles in rounds])
    row("all stages, s", [[sum(c.stages().values()) for c in cycles] for cycles in rounds])
    row("whole command, s", [[c.seconds for c in cycles] for cycles in rounds])
    row("peak memory, MiB", [[c.peak for c in cycles] for cycles in rounds])
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--orders", type=int, default=20_000)
    parser.add_argument("--share", type=float, default=1.0, help="percent of the lines held back")
    parser.add_argument("--no-quick-start", action="store_true", help="as a large project begins")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="where to work; else a temporary folder")
    options = parser.parse_args()
    rounds = []
    for _ in range(options.repeat):
        with tempfile.TemporaryDirectory(prefix="cutline-advance-", dir=options.folder) as name:
            rounds.append(
                measured(Path(name), options.orders, options.share, not options.no_quick_start)
            )
    rows = rounds[0][2].document["stages"][0]["rows_in"]
    print(f"{options.orders:,} orders, {rows:,} source rows, {options.share:g} % of lines new.\n")
    print(table(rounds))


if __name__ == "__main__":
    main()
