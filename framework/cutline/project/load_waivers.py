"""Reading waivers.yaml, which stands beside cutline.yaml where a project has waivers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from cutline.errors import ConfigurationError, did_you_mean
from cutline.project.model import ProjectFile
from cutline.project.problems import problems
from cutline.project.waivers import DiscardedExceptions, Waiver, WaiverFile
from cutline.project.yaml_text import read_yaml

WAIVERS = "waivers.yaml"
IF_EMPTY = f"Write `version: 1` into {WAIVERS}, or remove it."
"""What comes next where it holds nothing."""

_ENTRY = re.compile(r"\b(waivers|discarded)\.(\d+)")


def load_waivers(folder: Path, project: ProjectFile) -> WaiverFile:
    """waivers.yaml of the project in `folder`; one without an entry if there is no such file.

    ConfigurationError lists every problem by file, entry and key.
    """
    path = folder / WAIVERS
    if not path.exists():
        return WaiverFile(version=1)
    document = read_yaml(path, IF_EMPTY)
    try:
        file = WaiverFile.model_validate(document)
    except ValidationError as error:
        messages = problems(error, document, model=WaiverFile, file=WAIVERS)
        raise _wrong(path, (_named(line, document) for line in messages)) from error
    parts: dict[str, Sequence[Waiver | DiscardedExceptions]] = {
        "waivers": file.waivers,
        "discarded": file.discarded,
    }
    unknown = [
        f"{WAIVERS}: {part}.{place} ({entry.name}).{key}: {name!r} is none of "
        f"{', '.join(known) or 'none'}.{did_you_mean(name, known)}"
        for part, entries in parts.items()
        for place, entry in enumerate(entries)
        for key, name, known in (
            ("context", entry.context, project.contexts),
            ("region", entry.region, project.regions),
        )
        if name is not None and name not in known
    ]
    if unknown:
        raise _wrong(path, unknown)
    return file


def _wrong(path: Path, lines: Iterable[str]) -> ConfigurationError:
    return ConfigurationError(
        "\n".join(lines),
        left_behind="Nothing was started.",
        next_step=f"Mend {path}, then look at it with: cutline check",
    )


def _named(line: str, document: Any) -> str:
    """The line with the name of the entry that it is about beside its place."""

    def with_waiver_name(match: re.Match[str]) -> str:
        entries = document.get(match[1])
        entry = entries[int(match[2])] if isinstance(entries, list) else None
        name = entry.get("name") if isinstance(entry, dict) else None
        return f"{match[0]} ({name})" if isinstance(name, str) else match[0]

    return _ENTRY.sub(with_waiver_name, line, count=1)
