"""What the translation hands on: how far orders and times can be trusted, and what was left out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from cutline.results.model import Moment, ResultModel
from cutline.results.names import TRANSLATE
from cutline.results.result import StageResult


class SourceSkew(ResultModel):
    """What is known of the mutual order of the sources of one translator: it is by commit time."""

    sources: Mapping[str, Moment]
    """When each source's extract was taken."""
    crossings: int
    """Changes that follow a change of another source."""
    within_a_minute: int
    """Those whose commit times are at most a minute apart."""
    within_a_second: int
    """Those whose commit times are at most a second apart."""


class TranslateResult(StageResult):
    """What the translation hands on."""

    stage: ClassVar[str] = TRANSLATE

    left_subjects: int = 0
    """Changes by which a row left one subject for another: each has two ends."""
    written_over: int = 0
    """Changes that others of the same row followed in their transactions."""
    fell_within: int | None = None
    """Facts that held only within a transaction, and that nobody could read."""
    visible: Mapping[str, int] = {}
    """By source, the changes that its snapshot shows already."""
    skew: Mapping[str, SourceSkew] = {}
    """By translator of several sources."""
    times: Mapping[str, Mapping[str, int]] = {}
    """By source, events by what their times are worth (see stages.times)."""
    departures: int | None = None
    """Rows that moved otherwise than their lifecycle allows; null where they were not counted."""
    advanced_from: str | None = None
    """The run whose tables these go on from; null where everything was translated."""
    redriven: bool = False
    """Whether this run, or one that it goes on from, re-drove exceptions: then rows of the events
    may be of different versions of one translator."""
