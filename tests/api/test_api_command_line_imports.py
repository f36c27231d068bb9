"""The command line is a thin layer: of Cutline it imports the front door, and nothing else."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import cutline.cli

FOLDER = Path(cutline.cli.__file__).parent

ALLOWED = {
    "cutline.api": "the front door",
    "cutline.errors": "errors and exit codes",
    "cutline.version": "what --version says",
    "cutline.wording": "how a text is shown on a terminal",
    "cutline.secrets": "how a secret is shown",
    "cutline.logs": "the loggers, whose records it shows",
}


def imported(file: Path) -> Iterator[str]:
    """The modules of Cutline and its packages that a file imports, wherever in it."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, file
            yield str(node.module)
            if node.module == "cutline":
                yield from (f"cutline.{alias.name}" for alias in node.names)


def test_the_command_line_imports_the_front_door_and_nothing_else() -> None:
    files = sorted(FOLDER.rglob("*.py"))
    assert len(files) > 20
    for file in files:
        for module in imported(file):
            if module.split(".")[0].startswith("cutline") and not module.startswith("cutline.cli"):
                assert module in ALLOWED, f"{file.relative_to(FOLDER)} imports {module}"
