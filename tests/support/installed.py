"""Distributions installed without a network: what an editable install leaves behind, and no more."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path


def install(folder: Path, site: Path) -> Path:
    """Install the distribution in `folder` as editable; gives the folder its modules are in.

    Metadata and entry points come from its pyproject.toml, as a build backend takes them.
    """
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    info = site / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    info.mkdir(parents=True)
    head = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    (info / "METADATA").write_text(head, encoding="utf-8")
    lines: list[str] = []
    for group, entries in project["entry-points"].items():
        lines += [f"[{group}]", *(f"{name} = {value}" for name, value in entries.items()), ""]
    (info / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")
    return folder / "src"


def environment(site: Path, *modules: Path) -> dict[str, str]:
    """The environment of a process that has them: a site folder, and where modules are."""
    path = [str(site), *map(str, modules), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in path if p), "NO_COLOR": "1"}
