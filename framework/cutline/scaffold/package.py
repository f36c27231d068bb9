"""A package in memory, and the one place that writes scaffolds to disk."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from cutline.errors import ConfigurationError


@dataclass(frozen=True)
class Package:
    """Contents of files by path below `folder`, and the author's next steps as lines of text."""

    folder: Path
    files: Mapping[str, str]
    next_steps: tuple[str, ...] = field(default_factory=tuple)

    def write(self) -> list[Path]:
        """Write every file and return their paths.

        ConfigurationError if one of them exists; then nothing was written. The files are first
        written to a temporary folder, and linked to their paths when all are complete.
        """
        existing = [name for name in self.files if os.path.lexists(self.folder / name)]
        if existing:
            raise _files_exist_error(self.folder, existing)
        try:
            with _complete_copy(self.folder, self.files) as copy:
                return [_link_file(copy / name, self.folder / name) for name in self.files]
        except FileExistsError as error:
            raise _files_exist_error(
                self.folder, [str(error.filename2 or error.filename)]
            ) from error
        except OSError as error:
            raise ConfigurationError(
                f"{self.folder} cannot be written: {error.strerror}",
                next_step="Choose another folder with --dir DIR.",
            ) from error


@contextlib.contextmanager
def _complete_copy(folder: Path, files: Mapping[str, str]) -> Iterator[Path]:
    """A temporary folder with all the files, on the same disk as `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".cutline-new-", dir=folder) as temporary:
        for name, content in files.items():
            path = Path(temporary) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")
        yield Path(temporary)


def _link_file(source: Path, target: Path) -> Path:
    """Link the file to its path; FileExistsError if the path has come to exist meanwhile."""
    target.parent.mkdir(parents=True, exist_ok=True)
    os.link(source, target)
    return target


def _files_exist_error(folder: Path, names: list[str]) -> ConfigurationError:
    return ConfigurationError(
        f"{folder} has {', '.join(names)} already, and no file is ever overwritten.",
        left_behind="Nothing was written.",
        next_step="Choose another name, or another folder with --dir DIR.",
    )
