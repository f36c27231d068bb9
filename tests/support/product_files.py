"""The files of the product, for tests that walk its code."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from pathlib import Path

from support.paths import ROOT

HOMES = ("framework", "domains", "translators", "reconciliation", "reports")
"""The folders that hold the product's packages."""
FILES = tuple(sorted(file for home in HOMES for file in (ROOT / home).rglob("*.py")))
TEST_FILES = tuple(sorted((ROOT / "tests").rglob("*.py")))
"""The files of the tests."""


@functools.cache
def tree_of(file: Path) -> ast.Module:
    """The syntax tree of a file, for several tests that walk through it."""
    return ast.parse(file.read_text(encoding="utf-8"))


def syntax_trees() -> Iterator[tuple[str, ast.Module]]:
    """Each file as its path below the project's folder, and its syntax tree."""
    for file in FILES:
        yield file.relative_to(ROOT).as_posix(), tree_of(file)
