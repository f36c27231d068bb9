"""Which slices have rows of each other, by what cutline.yaml declares."""

from __future__ import annotations

from collections.abc import Iterable

from cutline.project.load import load
from cutline.project.loaded import LoadedProject


def overlapping_regions(project: LoadedProject, region: str, others: Iterable[str]) -> list[str]:
    """Those of the others that have rows of a region, or it of theirs: of the same sources a region
    with `everything` has the rows of all others.

    `project` is as `region` sees it. One that is not in cutline.yaml any more may have read these
    sources.
    """
    wide = {name for name, section in project.file.regions.items() if section.everything}
    return [
        name
        for name in others
        if name != region
        and (region in wide or name in wide)
        and _reads_same_sources(project, name)
    ]


def _reads_same_sources(project: LoadedProject, region: str) -> bool:
    if region not in project.file.regions:
        return True
    return load(project.folder, region).file.sources == project.file.sources
