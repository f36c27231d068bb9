"""The examples in docstrings do what they show."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

from support.paths import ROOT

PACKAGES = ("framework", "domains", "translators", "reconciliation", "reports")
MODULES = sorted(
    ".".join(file.relative_to(ROOT / package).with_suffix("").parts)
    for package in PACKAGES
    for file in Path(ROOT / package).rglob("*.py")
    if ">>> " in file.read_text(encoding="utf-8")
)


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_a_module_hold(name: str) -> None:
    failed, attempted = doctest.testmod(importlib.import_module(name))
    assert attempted > 0
    assert failed == 0
