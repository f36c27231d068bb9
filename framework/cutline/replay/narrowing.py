"""A replay of a part of its archive."""

from __future__ import annotations

import dataclasses
from pathlib import PurePosixPath

from cutline.errors import ConfigurationError
from cutline.project.loaded import LoadedProject
from cutline.replay.request import NOTHING_SENT


def narrowed(project: LoadedProject, name: str, path: str | None) -> LoadedProject:
    """The project whose replay of that name reads the part `path` of its archive; the same without
    one.

    ConfigurationError for a replay of topics, for an archive that is one file or a glob, and for a
    path that is not below the archive's.
    """
    if path is None:
        return project
    section = project.file.replays[name]
    archive, key = section.source.archive, f"replays.{name}.source.archive.path"
    if archive is None:
        raise _refused(f"replays.{name} replays topics, which have no path", "Leave the path out.")
    parts = PurePosixPath(path).parts
    if "://" in path or PurePosixPath(path).is_absolute() or ".." in parts or not parts:
        raise _refused(
            f"path {path!r} is not below {key}, {archive.path}",
            "Give a file, a folder or a glob that is relative to it.",
        )
    if any(sign in archive.path for sign in "*?[") or PurePosixPath(archive.path).suffix:
        raise _refused(
            f"{key} is {archive.path}, which is no folder: nothing is below it",
            "Leave the path out, or declare the folder.",
        )
    narrow = archive.model_copy(update={"path": f"{archive.path.rstrip('/')}/{path}"})
    source = section.source.model_copy(update={"archive": narrow})
    replays = project.file.replays | {name: section.model_copy(update={"source": source})}
    return dataclasses.replace(project, file=project.file.model_copy(update={"replays": replays}))


def _refused(why: str, next_step: str) -> ConfigurationError:
    return ConfigurationError(why, left_behind=NOTHING_SENT, next_step=next_step)
