"""The cut lines of a source, as a project declares them for a context."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass

from cutline.cut.awaited import AwaitedCut
from cutline.cut.compared import ComparedExtracts
from cutline.cut.declared import Section, policy_of
from cutline.cut.policy import CutPolicy
from cutline.errors import ConfigurationError
from cutline.positions import NOWHERE, Position
from cutline.project.captured import captured_key
from cutline.project.cut import CommitTimestampCut, EffectiveDateCut
from cutline.project.loaded import LoadedProject
from cutline.project.log import LogKind
from cutline.project.source import Source


@dataclass(frozen=True)
class CutLines:
    """The cut lines in the log of one source: where its snapshot ends, and where history does.

    `snapshot` is null for a source without changes, `history` where no line is drawn.
    """

    snapshot: CutPolicy | None = None
    history: CutPolicy | None = None

    def points(self) -> tuple[str, ...]:
        """The commits that the log is asked about, each once, in order."""
        policies = [policy for policy in (self.snapshot, self.history) if policy is not None]
        return tuple(sorted({point for policy in policies for point in policy.points()}))

    def with_commits(self, committed: Mapping[str, str]) -> CutLines:
        """The lines, told by point which commit of before it is the latest that the log names."""
        snapshot, history = (
            None if policy is None else policy.with_commits(committed)
            for policy in (self.snapshot, self.history)
        )
        return CutLines(snapshot, history)


def lines_of(project: LoadedProject, context: str, source: str) -> CutLines:
    """The lines of a source for a context. ConfigurationError names the key of what is wrong."""
    section = project.file.contexts[context]
    source_cut = section.cuts.get(source)
    key = f"contexts.{context}.cut" if source_cut is None else f"contexts.{context}.cuts.{source}"
    history = policy_of(source_cut or section.cut, log_kind(project.file.sources[source]), key)
    return CutLines(snapshot_line(project, source), history)


def snapshot_line(project: LoadedProject, source: str) -> CutPolicy | None:
    """How the snapshot of a source meets its changes; null for a source that is one extract."""
    section = project.file.sources[source]
    if section.changes is None:
        return None if section.previous is None else ComparedExtracts()
    key = f"sources.{source}.changes.snapshot"
    snapshot = section.changes.snapshot
    awaited = captured_key(snapshot)
    if awaited is not None:
        return AwaitedCut(snapshot.policy, awaited, key)
    return policy_of(snapshot, section.changes.log, key)


def _cut_moment(cut: Section) -> dt.datetime | None:
    """The moment of a cut by the clock, or of one beneath a business date."""
    beneath = cut.beneath if isinstance(cut, EffectiveDateCut) else cut
    return beneath.at if isinstance(beneath, CommitTimestampCut) else None


def log_kind(source: Source) -> LogKind:
    """The kind of log that a source's positions are of; `number` where it has no changes."""
    return "number" if source.changes is None else source.changes.log


def snapshot_position(line: CutPolicy | None) -> str:
    """The position of the rows of a source's snapshot: before every change that is kept."""
    point: Position | None = getattr(line, "point", None)
    return NOWHERE if point is None else point.text


def history_until(project: LoadedProject, context: str, source: str) -> dt.datetime | None:
    """The moment up to which changes of a source are history; null where its line is none.

    That of the source's own line, where it has one; `live_until` for all others.
    """
    section = project.file.contexts[context]
    source_cut = section.cuts.get(source)
    if source_cut is None:
        return live_until(project, context)
    return _cut_moment(source_cut) or section.live.until


def live_until(project: LoadedProject, context: str) -> dt.datetime | None:
    """The moment up to which live events belong to history; null where there are none.

    ConfigurationError where live topics are read and neither they nor the cut tell a moment.
    """
    section = project.file.contexts[context]
    moment = section.live.until or _cut_moment(section.cut)
    if moment is None and section.live.aggregates:
        raise ConfigurationError(
            f"contexts.{context}.live.until is missing: its cut is no moment, and live events have "
            "no other place in time",
            next_step="Give the moment, with its zone, up to which live events are history.",
        )
    return moment
