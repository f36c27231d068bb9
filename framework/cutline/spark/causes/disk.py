"""A disk that is full."""

from __future__ import annotations

import re
from pathlib import Path

from cutline.spark.causes.cause import SparkCause
from cutline.spark.causes.setup import SparkSetup
from cutline.spark.machine import amount, free_bytes

_FULL = re.compile(r"No space left on device|Disk quota exceeded|\[Errno (?:28|122)\]")
_WRITING_TO = re.compile(r"Task failed while writing rows to (?:file:)?(/\S+)")
_NAMED_BY_PYTHON = re.compile(r"\[Errno (?:28|122)\][^\n]*?: '(/[^']*)'")
_SORTING = re.compile(
    r"\bspill\b|SPILL_OUT_OF_MEMORY|\.shuffle\.|DiskBlock|BlockManager|DiskStore|SpillWriter|"
    r"ExternalSorter|ExternalAppendOnly|\.unsafe\.sort\."
)


def disk_cause(text: str, setup: SparkSetup) -> SparkCause | None:
    """The disk that is full, by its folder."""
    if not _FULL.search(text):
        return None
    kind = "the disk quota is used up" if "quota" in text else "no space is left on the disk"
    if is_of_sorting(text):
        folders = setup.local_folders
        return SparkCause(
            f"{kind} where Spark keeps what it sorts and exchanges, {_listed(folders)}",
            "Make room there, or name a folder on a larger disk: spark.conf: "
            "{spark.local.dir: /path/to/folder} in cutline.yaml (docs/sizing.md says how much a "
            "run needs).",
        )
    named = _WRITING_TO.search(text) or _NAMED_BY_PYTHON.search(text)
    folder = named[1].partition("/_writing/")[0] if named else setup.lake
    place = f" of {folder} ({_free(Path(folder))})" if folder.startswith("/") else ""
    return SparkCause(
        f"{kind}{place}",
        "Make room there, or set `lake` in cutline.yaml to a folder on a larger disk "
        "(docs/sizing.md says how much a run needs).",
    )


def is_of_sorting(text: str) -> bool:
    """Whether the disk that is full is the one for sorting and exchanging, not that of a table."""
    return bool(_FULL.search(text) and _SORTING.search(text) and not _WRITING_TO.search(text))


def _listed(folders: tuple[Path, ...]) -> str:
    return ", ".join(f"{folder} ({_free(folder)})" for folder in folders)


def _free(folder: Path) -> str:
    free = free_bytes(folder)
    return "its free space is unknown" if free is None else f"{amount(free)} free now"
