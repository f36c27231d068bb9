"""The story that the demo tells: one slice, two versions of a translation, two decisions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import typer

from cutline.cli.opened import command
from cutline.cli.performing import perform
from cutline.cli.summary import verdict
from cutline.errors import ConfigurationError
from cutline.run.outcome import RunOutcome
from cutline.spark.session import start_early

CONTEXT, REGION = "fulfilment", "eu-west"
MARKER = ".cutline-demo.json"
EXPECTED = ("no-go", "go")


@dataclass(frozen=True)
class Told:
    """Both runs of the demo, the first translation's first."""

    folder: Path
    first: RunOutcome
    second: RunOutcome

    @property
    def as_expected(self) -> bool:
        """Whether the decisions are NO-GO, then GO."""
        return (self.first.record.decision, self.second.record.decision) == EXPECTED

    def lines(self) -> Iterator[str]:
        """Both decisions and why, both reports, and the one command to look deeper."""
        for major, outcome in ((1, self.first), (2, self.second)):
            yield f"translation {major}: {verdict(outcome)}"
            yield f"  why     {outcome.record.decided_by or 'it says no reason'}"
            yield f"  report  {outcome.report}"
        if not self.as_expected:
            yield "These are not the decisions that the demo expects: NO-GO, then GO."
        yield "Look deeper: " + command(
            f"show {self.first.record.run_id} breaks --where \"level = 'outcome'\"", self.folder
        )


def demonstrate(folder: Path, orders: int, seed: int) -> Told:
    """Write the sample project, unless it is there already, and run it with both translations."""
    from cutline_translators.retail.estate import choose_major, spark_section, write_project

    if not _is_there(folder, orders, seed):
        typer.echo(f"writing a legacy estate of {orders:,} orders to {folder}", err=True)
        folder.mkdir(parents=True, exist_ok=True)
        start_early(spark_section(orders))
        # Told before and after, so that an estate that was interrupted is written again.
        _mark(folder, orders, seed, complete=False)
        write_project(folder, orders, seed, 1)
        _mark(folder, orders, seed, complete=True)
    choose_major(folder, 1)
    first = perform(folder, CONTEXT, REGION)
    choose_major(folder, 2)
    second = perform(folder, CONTEXT, REGION)
    return Told(folder, first, second)


def _is_there(folder: Path, orders: int, seed: int) -> bool:
    """Whether the folder holds this demo; ConfigurationError if it holds anything else."""
    if folder.exists() and not folder.is_dir():
        raise ConfigurationError(f"{folder} is a file.", next_step=_ELSEWHERE)
    if not folder.is_dir() or not any(folder.iterdir()):
        return False
    try:
        marker = json.loads((folder / MARKER).read_text())
    except (OSError, ValueError):
        marker = None
    if not isinstance(marker, dict):
        raise ConfigurationError(
            f"Folder {folder} is not empty and is not a demo.", next_step=_ELSEWHERE
        )
    told = {"orders": marker.get("orders"), "seed": marker.get("seed")}
    if told != {"orders": orders, "seed": seed}:
        raise ConfigurationError(
            f"Folder {folder} holds a demo with other parameters: {json.dumps(told)}.",
            next_step=_ELSEWHERE,
        )
    return bool(marker.get("complete"))


def _mark(folder: Path, orders: int, seed: int, *, complete: bool) -> None:
    told = {"orders": orders, "seed": seed, "complete": complete}
    (folder / MARKER).write_text(json.dumps(told) + "\n")


_ELSEWHERE = "Choose another folder with --dir DIR, or remove this one."
