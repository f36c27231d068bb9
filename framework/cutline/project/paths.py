"""Paths of a project: relative to the folder of cutline.yaml unless they say otherwise."""

from __future__ import annotations

import re
from pathlib import Path

PATH_KEYS = ("path", "truth", "baseline", "previous", "lake")
"""The keys of cutline.yaml whose values are paths."""

_URL = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]*:/")


def is_anchored(path: str) -> bool:
    """Whether a path means the same from every folder: absolute, or a URL."""
    return Path(path).is_absolute() or bool(_URL.match(path))


def anchored(path: str, folder: Path) -> str:
    """`path` as it stands if it is anchored, else below `folder`."""
    return path if is_anchored(path) else str(folder / path)
