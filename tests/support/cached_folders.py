"""Folders that take long to make: made once per state of the product, and copied for each use.

They are kept in the checkout, by the digest of all that they are made of. Both workers of a run
share them: the second waits until the first has made what it needs.
"""

from __future__ import annotations

import fcntl
import functools
import hashlib
import pickle
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from support.paths import ROOT

FOLDER = ROOT / ".pytest_cache" / "kept"
"""One folder per state of the product; only the newest stays."""
SOURCES = ("framework", "domains", "translators", "reconciliation", "reports")
OTHER_INPUTS = ("pyproject.toml", "requirements.lock", "tests/conftest.py", "tests/support")

Result = TypeVar("Result")


def copy_cached_folder(name: str, make: Callable[[Path], Result], to: Path) -> Result:
    """Copy to `to` what `make` writes to the folder it is given, and return what `make` returned.

    `to` must not exist yet. The result is pickled: its paths are those of the folder that is kept.
    """
    folder = FOLDER / state_of_product() / name
    with _locked(name):
        result = folder.with_suffix(".pickle")
        if not result.is_file():
            _remove_other_states()
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            returned = make(folder)
            # Written last: it says that the folder is complete.
            part = folder.with_suffix(".part")
            part.write_bytes(pickle.dumps(returned))
            part.rename(result)
        shutil.copytree(folder, to)
        return pickle.loads(result.read_bytes())  # type: ignore[no-any-return]


def cached_folder(name: str) -> Path:
    """Where the folder of that name is kept, for the paths in what `make` returned."""
    return FOLDER / state_of_product() / name


@functools.cache
def state_of_product() -> str:
    """A digest of the sources, of what is installed beside them, and of the tests' own helpers."""
    digest = hashlib.sha256(sys.version.encode())
    for file in _inputs():
        digest.update(f"{file.relative_to(ROOT)}\0".encode())
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:20]


def _inputs() -> Iterator[Path]:
    for place in (*SOURCES, *OTHER_INPUTS):
        path = ROOT / place
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        yield from (f for f in files if f.is_file() and "__pycache__" not in f.parts)


def _remove_other_states() -> None:
    for folder in FOLDER.iterdir():
        if folder.is_dir() and folder.name != state_of_product():
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _locked(name: str) -> Iterator[None]:
    """Nobody else makes or copies the folder within it."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (FOLDER / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
