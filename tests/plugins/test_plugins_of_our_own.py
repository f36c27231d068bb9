"""What this repository itself declares as plugins is what it says it is."""

from __future__ import annotations

import tomllib
from importlib.metadata import EntryPoint

import pytest

from cutline.context import Context
from cutline.plugin_groups import CONTEXTS, TRANSLATORS
from cutline.translator import Translation
from support.paths import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def declared(group: str) -> list[EntryPoint]:
    return [EntryPoint(n, v, group) for n, v in PROJECT["entry-points"][group].items()]


@pytest.mark.parametrize("entry", declared(CONTEXTS), ids=lambda e: e.name)
def test_each_context_loads(entry: EntryPoint) -> None:
    assert isinstance(entry.load(), Context)


@pytest.mark.parametrize("entry", declared(TRANSLATORS), ids=lambda e: e.name)
def test_each_translation_is_offered_under_its_name_and_major(entry: EntryPoint) -> None:
    translation = entry.load()
    assert isinstance(translation, Translation)
    assert entry.name == f"{translation.name}-{translation.major}"
