"""Where a scaffold lives: a distribution of its own, or the folders of a Cutline checkout."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path

from cutline.errors import ConfigurationError

_MARKS = ("framework/cutline", "domains/cutline_domains", "translators/cutline_translators")


def checkout(folder: Path) -> Path:
    """The root of the Cutline checkout around a folder; ConfigurationError if there is none."""
    for root in (folder.absolute(), *folder.absolute().parents):
        if (root / "pyproject.toml").is_file() and all((root / m).is_dir() for m in _MARKS):
            return root
    raise ConfigurationError(
        f"{folder.absolute()} is in no checkout of Cutline, so nothing can be put in its folders.",
        next_step="Leave out --in-repo to write a distribution of its own.",
    )


def entry_point_lines(root: Path, group: str, name: str, value: str) -> tuple[str, ...]:
    """What to add to the checkout's pyproject.toml; ConfigurationError if the name is taken."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    taken: Sequence[str] = project.get("entry-points", {}).get(group, {})
    if name in taken:
        raise ConfigurationError(
            f"{root / 'pyproject.toml'} has an entry point {name!r} of {group} already.",
            next_step="Choose another name.",
        )
    return (
        f'Add to [project.entry-points."{group}"] in pyproject.toml:',
        f'  {name} = "{value}"',
        "then install it again: pip install --no-deps --editable .",
    )
