"""The contexts and control database of a project, for reading only."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from cutline.errors import ConfigurationError, did_you_mean

if TYPE_CHECKING:
    from cutline.control import Control
    from cutline.project import LoadedProject


def require_context(project: LoadedProject, context: str) -> str:
    """The context; ConfigurationError, with those of cutline.yaml, if it is none of them."""
    return require("context", context, project.file.contexts)


def control_of(project: LoadedProject) -> Control | None:
    """The control database; None without any run. Nothing is created."""
    from cutline.control import Control

    return Control.peek(project.file.control, project.folder)


def next_command(words: str, folder: Path) -> str:
    """A command to type next, for the same project."""
    place = "" if folder == Path() else f" --project {shlex.quote(str(folder))}"
    return f"cutline {words}{place}"


def require_declared(
    declared: Iterable[tuple[str, str]], context: str | None, region: str | None
) -> list[tuple[str, str]]:
    """Those of the declared slices that are of a context and a region, where these are given.

    ConfigurationError for a name that none of them has.
    """
    every = list(declared)
    if context is not None:
        require("context", context, dict.fromkeys(name for name, _ in every))
    if region is not None:
        require("region", region, dict.fromkeys(place for _, place in every))
    return [s for s in every if context in (None, s[0]) and region in (None, s[1])]


def require(kind: str, name: str, names: Iterable[str]) -> str:
    """The name, if it is one of `names`; else ConfigurationError with its kind and those names."""
    available = list(names)
    if name not in available:
        raise ConfigurationError(
            f"cutline.yaml: {kind} {name!r} is not among its {kind}s: "
            f"{', '.join(available) or 'none'}.{did_you_mean(name, available)}"
        )
    return name
