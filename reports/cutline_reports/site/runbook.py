"""The runbook of a slice: what is done in which order, by whom, and how it goes back.

Texts are as they are stored, nothing here is escaped.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from cutline_reports.site.template import page_environment, rendered

_UP = "../../"


@dataclass(frozen=True)
class RunbookGate:
    """A gate before a replay touches production."""

    gate: str
    colour: str
    """green, yellow or red."""
    says: str
    measured: str | None
    """The command that measured it, when and by whom; None where nothing did."""
    next_command: str | None
    """What gives what is missing; None where nothing is."""


@dataclass(frozen=True)
class RunbookStep:
    """One thing that a command does."""

    says: str
    no_return: bool
    """Whether everything behind it goes forward only."""


@dataclass(frozen=True)
class RunbookMove:
    """One command of a rollout."""

    command: str
    what_for: str
    performer: str
    steps: tuple[RunbookStep, ...]
    """In their order; none for a command that is one thing."""
    way_back: str
    """The command that takes it back, or why there is none."""
    is_next: bool = False
    """Whether it can be done now, as the slice stands."""


@dataclass(frozen=True)
class Runbook:
    """All of it, as of the moment at which the control database was read."""

    project: str
    context: str
    region: str
    as_of: dt.datetime
    cutline: str
    """The version of Cutline that wrote it."""
    stands: tuple[tuple[str, str], ...]
    """Where the slice stands: names and values."""
    people: tuple[tuple[str, str], ...]
    """Who answers for it: role and name; empty where cutline.yaml declares nobody."""
    declared: bool
    """Whether red gates refuse a switch."""
    gates: tuple[RunbookGate, ...]
    forward: tuple[RunbookMove, ...]
    """The way from the legacy to the new side."""
    back: tuple[RunbookMove, ...]
    """What is done when something goes wrong."""


def runbook_page(runbook: Runbook) -> str:
    """The page of a runbook, made for paper; it links to the index two folders up only."""
    return rendered(
        page_environment(),
        "runbook.html.j2",
        script="sign_off.js",
        styles=("report.css", "site.css", "sign_off.css", "runbook.css"),
        version=runbook.cutline,
        book=runbook,
        index=f"{_UP}index.html",
    )
