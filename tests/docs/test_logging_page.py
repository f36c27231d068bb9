"""docs/logging.md lists every record that Cutline logs, with its level."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import cutline

PAGE = Path(__file__).resolve().parents[2] / "docs" / "logging.md"
SOURCES = Path(cutline.__file__).parent


def logged() -> set[tuple[str, str]]:
    """Level and message of each call of a logger in the sources."""
    calls = [
        node
        for path in SOURCES.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "_LOG"
    ]
    return {(call.func.attr, ast.literal_eval(call.args[0])) for call in calls}


def test_the_page_lists_what_is_logged() -> None:
    rows = re.findall(r"^\| (\w+) \| ([^|]+) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    listed = {
        (level, message)
        for level, cell in rows
        if level != "level"
        for message in ([cell] if "trying" in cell else cell.split(", "))
    }
    assert len(listed) > 20
    assert listed == logged()
