"""Distributions installed without a network: what an editable install leaves behind, and no more.

As a script it stands for `pip install --no-deps --editable FOLDER`, into the folder `SITE`.
"""

from __future__ import annotations

import os
import sys
import tomllib
from pathlib import Path


def install(folder: Path, site: Path) -> None:
    """Install the distribution in `folder`: its modules are linked, not copied.

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
    for module in (folder / "src").resolve().iterdir():
        (site / module.name).symlink_to(module)


def environment(site: Path) -> dict[str, str]:
    """The environment of a process that has what is installed in a folder."""
    path = os.pathsep.join(p for p in (str(site), os.environ.get("PYTHONPATH", "")) if p)
    return {**os.environ, "PYTHONPATH": path, "SITE": str(site), "NO_COLOR": "1"}


if __name__ == "__main__":
    install(Path(sys.argv[-1]), Path(os.environ["SITE"]))
