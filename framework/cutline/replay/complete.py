"""What became of the whole of a source, if it was ever replayed."""

from __future__ import annotations

from cutline.project.loaded import LoadedProject
from cutline.replay.performing import ReplayFigures
from cutline.replay.request import ReplayRequest
from cutline.replay.shelf import ReplayShelf, request_digest
from cutline.replay.translating import translation_of
from cutline.replay.upcasting import chains_of


def figures_of_whole(project: LoadedProject, name: str) -> ReplayFigures | None:
    """The figures of the newest complete replay of all that a source of cutline.yaml holds, to any
    of its destinations, read as is declared now; null where there was none."""
    section = project.file.replays[name]
    chains = chains_of(section.upcasters, f"replays.{name}.upcasters")
    translation = translation_of(section.translator, name, f"replays.{name}.translator")
    digests = (
        request_digest(section, ReplayRequest(name, to), chains, translation)
        for to in section.destinations
    )
    shelves = (ReplayShelf(project.lake, digest) for digest in digests)
    newest_ones = [shelf.newest() for shelf in shelves]
    complete = [r for r in newest_ones if r is not None and r.status == "complete"]
    newest = max(complete, key=lambda replay: replay.begun_at, default=None)
    return None if newest is None else ReplayFigures.restored(newest.figures)
