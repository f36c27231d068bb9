"""Writing small files of a run beside its tables: whole or not at all, wherever the lake is."""

from __future__ import annotations

import os
import uuid
from collections.abc import Mapping
from pathlib import Path

from cutline.errors import RunFailed
from cutline.lake.file_system import file_system


def write_files(folder: str, files: Mapping[str, str], label: str) -> None:
    """Write texts by file name into a folder, made if missing. Each replaces what was there.

    A folder is a path of this machine, or a URL that pyarrow can write. RunFailed says what the
    file system has against it; `label` is the name that people know the files by.
    """
    contents = {name: text.encode("utf-8") for name, text in files.items()}
    try:
        for name, content in contents.items():
            _write(folder, name, content)
    # pyarrow refuses a URL of a kind it does not know with a ValueError.
    except (OSError, ValueError) as error:
        raise RunFailed(
            f"{label} cannot be written to {folder}: {error}",
            left_behind="Every table that is whole is kept.",
            next_step="Make room or mend the permissions, then run the same command again.",
        ) from error


def _write(folder: str, name: str, content: bytes) -> None:
    attempt = f".{name}-{uuid.uuid4().hex}"
    if "://" in folder:
        _write_remote(folder, name, attempt, content)
        return
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    unfinished = place / attempt
    try:
        with unfinished.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(place / name)
    finally:
        unfinished.unlink(missing_ok=True)


def _write_remote(folder: str, name: str, attempt: str, content: bytes) -> None:
    system, root = file_system(folder)
    system.create_dir(root, recursive=True)
    with system.open_output_stream(f"{root}/{attempt}") as file:
        file.write(content)
    system.move(f"{root}/{attempt}", f"{root}/{name}")
