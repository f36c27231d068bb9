"""How the tests are laid out: no test leans on another, nor on what a package keeps to itself."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path

from support.paths import ROOT
from support.product_files import HOMES

TESTS = ROOT / "tests"
PRODUCT = tuple(
    package.name for home in HOMES for package in (ROOT / home).iterdir() if package.is_dir()
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


OF_NO_PACKAGE = {
    *("support", "system", "model", "scored", "certificate", "contracts", "docs", "benchmarks"),
    "servers",
}
"""Folders of tests that are not of one package."""


def test_folders_are_named_as_the_packages_that_they_test() -> None:
    framework = {p.name for p in (ROOT / "framework" / "cutline").iterdir()}
    plugins = {
        f"{home}/{package.name}"
        for home in ("domains", "translators")
        for package in (ROOT / home / f"cutline_{home}").iterdir()
    } | {"translators/retail_estate"}
    beside_framework = OF_NO_PACKAGE | {"domains", "translators", "reconciliation", "reports"}
    of_framework = _folders(TESTS) - beside_framework
    assert {name for name in of_framework if {name, f"{name}.py"}.isdisjoint(framework)} == set()
    of_plugins = {
        f"{home}/{name}" for home in ("domains", "translators") for name in _folders(TESTS / home)
    }
    assert of_plugins <= plugins


def _folders(place: Path) -> set[str]:
    """The folders with tests in a place; one that was moved away may be left empty."""
    return {p.name for p in place.iterdir() if p.is_dir() and any(p.rglob("*.py"))}


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
