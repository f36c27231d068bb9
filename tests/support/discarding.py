"""A project that discards exceptions."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from cutline.project.loaded import LoadedProject
from cutline.project.model import ProjectFile
from cutline.project.waivers import DiscardedExceptions, WaiverFile


def discarding(*entries: DiscardedExceptions) -> LoadedProject:
    """A project of which only waivers.yaml is asked."""
    project = LoadedProject(cast(ProjectFile, None), Path(), Path())
    project.__dict__["waiver_file"] = WaiverFile(version=1, discarded=entries)
    return project
