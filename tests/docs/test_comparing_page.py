"""docs/comparing.md: what it shows in Python runs, and says what it says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "comparing.md"


def test_what_the_page_shows_in_python_runs(
    spark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) >= 3
    known: dict[str, Any] = {"spark": spark}
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), known)
    assert "DIFFERENT" in (tmp_path / "comparison.html").read_text()
    assert (tmp_path / "junit.xml").exists()
