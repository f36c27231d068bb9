"""The cut lines of one slice, in words and as data."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from cutline import display
from cutline.cut import CutPolicy, lines_of, live_until
from cutline.plugins import choose_translation
from cutline.project.loaded import LoadedProject
from cutline.secrets import document_as_written
from cutline.sources.used_tables import used_sources


@dataclass(frozen=True)
class CutLine:
    """One cut line: the policy's name, its words, and its proof or assumptions.

    `doubt` says which changes it cannot place, and what would settle them; null without any.
    """

    policy: str
    history: str
    tail: str
    overlap: str
    doubt: str | None
    obligations: tuple[str, ...]


@dataclass(frozen=True)
class SourceCut:
    """The cut lines of one source. `snapshot` is null for a source without changes."""

    source: str
    snapshot: CutLine | None
    history: CutLine


@dataclass(frozen=True, repr=False)
class SliceCut:
    """The cut lines of a slice; live events up to `live_until` belong to history."""

    context: str
    region: str
    sources: tuple[SourceCut, ...]
    live_until: str | None

    @document_as_written
    def as_json(self) -> dict[str, Any]:
        """The document of `cutline cut --json`."""
        return asdict(self)

    def __repr__(self) -> str:
        sources = ", ".join(source.source for source in self.sources)
        return f"<SliceCut {self.context} {self.region}: {sources}>"

    def _repr_html_(self) -> str:
        rows = [
            [cut.source, name, line.policy, line.history, line.tail, line.overlap, line.doubt]
            for cut in self.sources
            for name, line in (("snapshot", cut.snapshot), ("history", cut.history))
            if line is not None
        ]
        columns = ("source", "line", "policy", "history", "tail", "overlap", "doubt")
        return display.section(
            f"cut lines of {self.context} {self.region}",
            display.table(columns, rows),
            *([display.paragraph(f"live until {self.live_until}")] if self.live_until else []),
        )


def slice_cut(project: LoadedProject, context: str, region: str) -> SliceCut:
    """The cut lines of every source that the slice reads."""
    section = project.file.contexts[context]
    translation = choose_translation(section.translation.use, section.translation.major, context)
    names = [source.name for source in used_sources(project, translation, region)]
    cuts = []
    for name in names:
        lines = lines_of(project, context, name)
        assert lines.history is not None
        snapshot = None if lines.snapshot is None else _line(lines.snapshot, name)
        cuts.append(SourceCut(name, snapshot, _line(lines.history, name)))
    moment = live_until(project, context)
    return SliceCut(context, region, tuple(cuts), None if moment is None else moment.isoformat())


def _line(policy: CutPolicy, source: str) -> CutLine:
    words = policy.words()
    obligations = tuple(f"{o.code} {o.status}: {o.by}" for o in policy.obligations())
    doubt = policy.why_unplaced(source)
    return CutLine(policy.name, words.history, words.tail, words.overlap, doubt, obligations)
