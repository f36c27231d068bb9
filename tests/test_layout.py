"""How the tests are laid out: no test leans on another, nor on what a package keeps to itself."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path

from support.paths import ROOT

TESTS = ROOT / "tests"
PRODUCT = tuple(
    package.name
    for home in ("framework", "domains", "translators", "reconciliation", "reports")
    for package in (ROOT / home).iterdir()
    if package.is_dir()
)


def imports(file: Path) -> Iterator[tuple[str, str]]:
    """Each module that a file imports, with each name that it takes of it; "" for the whole."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.module or "", alias.name) for alias in node.names)


@functools.cache
def imported() -> tuple[tuple[str, str, str], ...]:
    """What tests and their support import: the file, the module and the name.

    The plugins in `examples` are samples, written as a distribution of its own would be.
    """
    files = sorted(p for p in TESTS.rglob("*.py") if "examples" not in p.parts)
    return tuple(
        (str(file.relative_to(ROOT)), module, name)
        for file in files
        for module, name in imports(file)
    )


def test_no_test_imports_another_test() -> None:
    """What several tests need lives in tests/support, where it can be found."""
    leaning = [
        (file, module, name)
        for file, module, name in imported()
        for folder in (TESTS, (ROOT / file).parent)
        for place in (
            folder.joinpath(*module.split(".")),
            folder.joinpath(*module.split("."), name),
        )
        if not place.is_relative_to(TESTS / "support")
        and (place.is_dir() or place.with_suffix(".py").is_file())
    ]
    assert leaning == []


def test_tests_ask_for_no_private_name() -> None:
    private = [
        (file, module, name)
        for file, module, name in imported()
        if module.split(".")[0] in PRODUCT
        and any(re.match("_(?!_)", part) for part in [*module.split("."), name])
    ]
    assert private == []
