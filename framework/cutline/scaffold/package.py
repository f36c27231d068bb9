"""A package as files that do not exist yet, and the one place that writes them."""

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
    """Files by their path below `folder`, and what the author does next, as lines for people."""

    folder: Path
    files: Mapping[str, str]
    next_steps: tuple[str, ...] = field(default_factory=tuple)

    def write(self) -> list[Path]:
        """Write every file and return where they are.

        ConfigurationError if one of them is there already: then nothing at all was written. The
        files appear when the last of them is complete.
        """
        there = [name for name in self.files if os.path.lexists(self.folder / name)]
        if there:
            raise _refused(self.folder, there)
        try:
            with _whole(self.folder, self.files) as whole:
                return [_put(whole / name, self.folder / name) for name in self.files]
        except FileExistsError as error:
            raise _refused(self.folder, [str(error.filename2 or error.filename)]) from error
        except OSError as error:
            raise ConfigurationError(
                f"{self.folder} cannot be written: {error.strerror}",
                next_step="Choose another folder with --dir DIR.",
            ) from error


@contextlib.contextmanager
def _whole(folder: Path, files: Mapping[str, str]) -> Iterator[Path]:
    """All the files in a folder of its own, on the same disk as `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".cutline-new-", dir=folder) as made:
        for name, content in files.items():
            path = Path(made) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")
        yield Path(made)


def _put(source: Path, target: Path) -> Path:
    """Give the file its name; FileExistsError if somebody has taken the name meanwhile."""
    target.parent.mkdir(parents=True, exist_ok=True)
    os.link(source, target)
    return target


def _refused(folder: Path, names: list[str]) -> ConfigurationError:
    return ConfigurationError(
        f"{folder} has {', '.join(names)} already, and no file is ever overwritten.",
        left_behind="Nothing was written.",
        next_step="Choose another name, or another folder with --dir DIR.",
    )
