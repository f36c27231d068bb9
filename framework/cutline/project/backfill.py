"""Backfills that others ask for while `cutline serve` runs: which teams may, how, and how much."""

from __future__ import annotations

from pydantic import Field

from cutline.project.base import Section
from cutline.project.names import TopicName
from cutline.project.waivers import NotBlank


class BackfillTeam(Section):
    """What a team may ask for."""

    records_per_day: int | None = Field(default=None, ge=1)
    """The most records that its backfills may send within 24 hours; left out, any number."""
    waiting: int = Field(default=20, ge=1, le=10_000)
    """How many of its backfills may be queued."""


class BackfillSection(Section):
    """Who may ask for backfills, and where requests are taken from. Nothing of it is a part of what
    names a run."""

    teams: dict[NotBlank, BackfillTeam] = Field(min_length=1)
    """The teams that may ask."""
    folder: str | None = Field(default=None, min_length=1)
    """A folder of this machine where files with requests are put; left out, none are taken."""
    topic: TopicName | None = None
    """A topic whose records are requests, where `topics` of the project are; left out, there is
    none."""
