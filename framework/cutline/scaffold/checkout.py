"""A Cutline checkout as the target of a scaffold: its root, and entries for pyproject.toml."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path

from cutline.errors import ConfigurationError

_PACKAGE_FOLDERS = (
    "framework/cutline",
    "domains/cutline_domains",
    "translators/cutline_translators",
)


def checkout_root(folder: Path) -> Path:
    """The root of the Cutline checkout around a folder; ConfigurationError if there is none."""
    for root in (folder.absolute(), *folder.absolute().parents):
        if (root / "pyproject.toml").is_file() and all(
            (root / f).is_dir() for f in _PACKAGE_FOLDERS
        ):
            return root
    raise ConfigurationError(
        f"{folder.absolute()} is in no checkout of Cutline, so nothing can be put in its folders.",
        next_step="Leave out --in-repo to write a distribution of its own.",
    )


def entry_point_lines(root: Path, group: str, name: str, value: str) -> tuple[str, ...]:
    """The next steps that add an entry point to the checkout's pyproject.toml, as lines of text.

    ConfigurationError if the group has an entry point of that name.
    """
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    names: Sequence[str] = project.get("entry-points", {}).get(group, {})
    if name in names:
        raise ConfigurationError(
            f"{root / 'pyproject.toml'} has an entry point {name!r} of {group} already.",
            next_step="Choose another name.",
        )
    return (
        f'Add to [project.entry-points."{group}"] in pyproject.toml:',
        f'  {name} = "{value}"',
        "then install it again: pip install --no-deps --editable .",
    )
