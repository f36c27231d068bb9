"""Imports and tuples of a scaffold are laid out as the formatter and the sorter leave them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from cutline.scaffold.source_text import collection
from cutline.scaffold.translator import import_sections

CUTLINE = "from cutline.translator import Translation"


@pytest.mark.parametrize(
    ("package", "first"), [("billing", True), ("cutlery", True), ("cutline_x", False), ("z", False)]
)
def test_a_context_stands_by_name_beside_cutline(package: str, first: bool) -> None:
    context = f"from {package} import CONTEXT"
    of_translator = ["from wms.truth import TRUTH", "from wms.jobs.translator import Jobs"]
    lines = import_sections(True, [CUTLINE, context], of_translator).splitlines()
    assert lines[:2] == ([context, CUTLINE] if first else [CUTLINE, context])
    assert lines[2:] == ["", of_translator[1], of_translator[0]]


@pytest.mark.process
def test_a_tuple_of_translators_is_as_the_formatter_leaves_it(tmp_path: Path) -> None:
    (tmp_path / "ruff.toml").write_text("line-length = 100\n")
    for number in range(2, 9):
        for width in range(4, 48):
            names = [f"{'A' * width}{n}" for n in range(number)]
            source = (
                f"T = Translation(\n    a=1,\n{collection('translators=', names, 4)}\n    b=2,\n)\n"
            )
            (tmp_path / f"t_{number}_{width}.py").write_text(source)
    command = [sys.executable, "-m", "ruff", "format", "--no-cache", "--check", "."]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
