"""The cut lines of one slice, in words and as data."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from cutline.cut import CutPolicy, lines_of, live_until
from cutline.plugins import choose_translation
from cutline.project.loaded import LoadedProject
from cutline.sources.used import used_sources


@dataclass(frozen=True)
class LineTold:
    """One cut line: the policy's name, its words, and what it proves or leaves to trust.

    `doubt` says which changes it cannot place, and what would settle it; null where it places all.
    """

    policy: str
    history: str
    tail: str
    overlap: str
    doubt: str | None
    obligations: tuple[str, ...]


@dataclass(frozen=True)
class SourceCut:
    """The lines of one source. `snapshot` is null where it has no changes: then nothing follows."""

    source: str
    snapshot: LineTold | None
    history: LineTold


@dataclass(frozen=True)
class SliceCut:
    """The cut lines of a slice; `live_until` is the moment up to which live events are history."""

    context: str
    region: str
    sources: tuple[SourceCut, ...]
    live_until: str | None

    def as_json(self) -> dict[str, Any]:
        """The same as one JSON document."""
        return asdict(self)

    def lines(self) -> list[str]:
        """The same as text."""
        told: list[str] = []
        alone = [one.source for one in self.sources if one.snapshot is None]
        for one in self.sources:
            if one.snapshot is not None:
                told += [f"{one.source}: its snapshot and its changes ({one.snapshot.policy})"]
                told += _told("The snapshot shows", one.snapshot)
        if alone:
            told.append(f"{', '.join(alone)}: no changes, the snapshot is all there is")
        for history, sources in self._histories().items():
            told.append(f"{', '.join(sources)}: where history ends ({history.policy})")
            told += _told("History is", history)
        if self.live_until is not None:
            told.append(f"Live events belong to history up to {self.live_until}.")
        return told

    def _histories(self) -> dict[LineTold, list[str]]:
        """Sources by the line at which their history ends."""
        found: dict[LineTold, list[str]] = {}
        for one in self.sources:
            found.setdefault(one.history, []).append(one.source)
        return found


def slice_cut(project: LoadedProject, context: str, region: str) -> SliceCut:
    """The cut lines of every source that the slice reads."""
    section = project.file.contexts[context]
    translation = choose_translation(section.translation.use, section.translation.major, context)
    names = [source.name for source in used_sources(project, translation, region)]
    found = []
    for name in names:
        lines = lines_of(project, context, name)
        assert lines.history is not None
        shown = None if lines.snapshot is None else _line(lines.snapshot, name)
        found.append(SourceCut(name, shown, _line(lines.history, name)))
    moment = live_until(project, context)
    return SliceCut(context, region, tuple(found), None if moment is None else moment.isoformat())


def _line(policy: CutPolicy, source: str) -> LineTold:
    words = policy.words()
    told = tuple(f"{o.code} {o.status}: {o.by}" for o in policy.obligations())
    doubt = policy.doubt(source)
    return LineTold(policy.name, words.history, words.tail, words.overlap, doubt, told)


_DOUBT = "A change that it cannot place is quarantined as unknown-commit"


def _told(begins: str, line: LineTold) -> list[str]:
    return [
        f"  {begins} {line.history}.",
        f"  The tail {line.tail}.",
        f"  Rows in the overlap: {line.overlap}.",
        *([] if line.doubt is None else [f"  {_DOUBT}: {line.doubt}."]),
        *(f"  {told}" for told in line.obligations),
    ]
