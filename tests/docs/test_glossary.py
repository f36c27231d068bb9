"""The glossary: each term once, and each where it says that it lives."""

from __future__ import annotations

import re

import pytest

from support.paths import ROOT

ROWS = re.findall(
    r"^\| \*\*(.+?)\*\* \| (.+?) \| .*?\| `([\w.]+)` \|$",
    (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8"),
    re.M,
)
PACKAGES = ("framework", "domains", "translators", "reconciliation", "reports")


def test_each_term_has_one_meaning() -> None:
    terms = [term.casefold() for term, _, _ in ROWS]
    assert len(terms) > 40
    assert sorted(set(terms)) == sorted(terms)


@pytest.mark.parametrize(("term", "module"), [(term, module) for term, _, module in ROWS])
def test_each_term_lives_where_it_says(term: str, module: str) -> None:
    place = module.replace(".", "/")
    homes = [ROOT / package / place for package in PACKAGES]
    assert any(home.is_dir() or home.with_suffix(".py").is_file() for home in homes), term
