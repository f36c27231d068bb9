"""docs/comparing.md: what it shows in Python runs, and says what it says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from cutline_reconciliation.compare import ColumnRules, Rules, load_rules
from support.paths import DOCS

PAGE = DOCS / "comparing.md"


def test_what_the_page_shows_in_python_runs(
    spark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) >= 3
    namespace: dict[str, Any] = {"spark": spark}
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), namespace)
    assert "DIFFERENT" in (tmp_path / "comparison.html").read_text()
    assert (tmp_path / "junit.xml").exists()


def test_every_rule_is_told_and_the_files_that_are_shown_can_be_read(tmp_path: Path) -> None:
    page = PAGE.read_text(encoding="utf-8")
    shown = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    assert len(shown) == 2
    for text in shown:
        (tmp_path / "rules.yaml").write_text(text)
        load_rules(tmp_path / "rules.yaml")
    for name, field in ColumnRules.model_fields.items():
        assert f"{field.alias or name}:" in page, name
    for name in Rules.model_fields:
        assert f"\n{name}:" in page, name
