"""`cutline cut`"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from cutline.cli import options
from cutline.cli.guard import guarded
from cutline.cli.output import result

if TYPE_CHECKING:
    from cutline.api import CutLine, SliceCut


@guarded
def cut(
    context: options.Context,
    region: options.Region,
    project: options.Project = Path(),
    json: options.Json = False,
) -> int:
    """Say in words where the cut lines of a slice are drawn, and what that proves or assumes.

    For each source that the slice reads: what its snapshot shows and where the changes after it
    begin, then where history ends and live begins. Nothing is read from the sources.
    """
    from cutline.api import Project

    with result() as out:
        slice_cut = Project.open(project).cut(context, region=region)
        if json:
            out.document(slice_cut.as_json())
        else:
            for line in _lines(slice_cut):
                out.line(line)
    return 0


def _lines(cut: SliceCut) -> Iterator[str]:
    """A paragraph per line; sources whose history ends in the same way share one."""
    alone = [source.source for source in cut.sources if source.snapshot is None]
    histories: dict[CutLine, list[str]] = {}
    for source in cut.sources:
        histories.setdefault(source.history, []).append(source.source)
        if source.snapshot is not None:
            yield f"{source.source}: its snapshot and its changes ({source.snapshot.policy})"
            yield from _paragraph("The snapshot shows", source.snapshot)
    if alone:
        yield f"{', '.join(alone)}: no changes, the snapshot is all there is"
    for history, sources in histories.items():
        yield f"{', '.join(sources)}: where history ends ({history.policy})"
        yield from _paragraph("History is", history)
    if cut.live_until is not None:
        yield f"Live events belong to history up to {cut.live_until}."


def _paragraph(beginning: str, line: CutLine) -> Iterator[str]:
    yield f"  {beginning} {line.history}."
    yield f"  The tail {line.tail}."
    yield f"  Rows in the overlap: {line.overlap}."
    if line.doubt is not None:
        yield f"  A change that it cannot place is quarantined as unknown-commit: {line.doubt}."
    yield from (f"  {obligation}" for obligation in line.obligations)
