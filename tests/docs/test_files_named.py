"""The files that the pages name are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.paths import DOCS, ROOT

HOMES = "framework|domains|translators|reconciliation|reports|tests|docs|examples|scripts"
FILE = re.compile(rf"`((?:{HOMES}|benchmarks)/[\w./-]+)`")
PAGES = (*sorted(DOCS.rglob("*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_each_file_that_a_page_names_is_there(page: Path) -> None:
    named = FILE.findall(page.read_text(encoding="utf-8"))
    assert [path for path in named if not (ROOT / path).exists()] == []
