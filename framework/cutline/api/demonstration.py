"""The demo: one slice, two versions of a translation, two decisions."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from cutline import display
from cutline.api.project import Project
from cutline.api.run import Run
from cutline.api.writable_folder import writing_into
from cutline.errors import ConfigurationError
from cutline.run.progress import Note, OnEvent, ignore_events

if TYPE_CHECKING:
    from cutline.sample import Sample

SAMPLE, CONTEXT, REGION = "retail", "fulfilment", "eu-west"
MARKER = ".cutline-demo.json"
EXPECTED = ("no-go", "go")


@dataclass(frozen=True, repr=False)
class DemoResult:
    """Both runs of the demo, that of the first translation first."""

    folder: Path
    first: Run
    second: Run

    @property
    def as_expected(self) -> bool:
        """Whether the decisions are NO-GO, then GO."""
        return (self.first.decision, self.second.decision) == EXPECTED

    @property
    def project(self) -> Project:
        """The sample project, which then uses the second translation."""
        return Project(self.folder)

    def __repr__(self) -> str:
        return f"<DemoResult {self.folder}: {self.first.decision}, then {self.second.decision}>"

    def _repr_html_(self) -> str:
        return display.section(
            f"demo in {self.folder}", self.first._repr_html_(), self.second._repr_html_()
        )


def demo(
    folder: str | Path, *, orders: int = 1_000, seed: int = 7, on_event: OnEvent = ignore_events
) -> DemoResult:
    """Write a complete sample project and run it twice: NO-GO, then GO.

    The first translation reserves bundles twice, which only the outcome level finds; the second
    takes bundles apart. `orders`, at least 100, is the size of the legacy estate, and its chances
    are drawn from `seed`. The same demo in the folder is not written again; ConfigurationError if
    the folder holds anything else.
    """
    folder = Path(folder)
    if orders < 100 or seed < 0:
        raise ConfigurationError(
            f"A demo has at least 100 orders and a seed of at least 0, not {orders} and {seed}."
        )

    from cutline.plugins import choose_sample

    sample = choose_sample(SAMPLE)
    write_estate(folder, sample, orders, seed, on_event)
    sample.choose_major(folder, 1)
    first = Project.open(folder).run(CONTEXT, region=REGION, on_event=on_event)
    sample.choose_major(folder, 2)
    second = Project.open(folder).run(CONTEXT, region=REGION, on_event=on_event)
    return DemoResult(folder, first, second)


def write_estate(
    folder: Path,
    sample: Sample,
    orders: int,
    seed: int,
    on_event: OnEvent,
    *,
    live: bool = False,
) -> None:
    """Write the sample's estate, with its project, into the folder, but for one that is there.

    `live` is whether it is to be put on servers. ConfigurationError if the folder holds anything
    else, also where one of both is on servers and the other is not.
    """
    from cutline.run.sizing import size_session
    from cutline.spark.machine import memory
    from cutline.spark.session import start_early, starts_anew

    if not _is_there(folder, orders, seed, live):
        on_event(Note(f"writing a legacy estate of {orders:,} orders to {folder}"))
        with writing_into(folder, _WRITABLE):
            folder.mkdir(parents=True, exist_ok=True)
            # Marked before and after, so that an estate that was interrupted is written again.
            _mark(folder, orders, seed, live, complete=False)
        sizing = size_session(sample.spark_section(orders), sample.input_bytes(orders), memory())
        if starts_anew():
            for sentence in filter(None, (sizing.choices, sizing.warning)):
                on_event(Note(sentence))
        start_early(sizing.section)
        with writing_into(folder, _WRITABLE):
            sample.write_project(folder, orders, seed, 1)
            _mark(folder, orders, seed, live, complete=True)


def _is_there(folder: Path, orders: int, seed: int, live: bool) -> bool:
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
    if bool(marker.get("live")) != live:
        raise ConfigurationError(
            f"Folder {folder} holds a demo {'in files' if live else 'on servers (--live)'}.",
            next_step=_ELSEWHERE,
        )
    parameters = {"orders": marker.get("orders"), "seed": marker.get("seed")}
    if parameters != {"orders": orders, "seed": seed}:
        raise ConfigurationError(
            f"Folder {folder} holds a demo with other parameters: {json.dumps(parameters)}.",
            next_step=_ELSEWHERE,
        )
    return bool(marker.get("complete"))


def _mark(folder: Path, orders: int, seed: int, live: bool, *, complete: bool) -> None:
    marker = {"orders": orders, "seed": seed, "complete": complete} | (
        {"live": True} if live else {}
    )
    (folder / MARKER).write_text(json.dumps(marker) + "\n")


_WRITABLE = "Choose another folder with --dir DIR, or make this one writable."
_ELSEWHERE = "Choose another folder with --dir DIR, or remove this one."
