"""Small files beside the tables are there whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from cutline.errors import RunFailed
from cutline.lake.keep import write_files


@pytest.mark.parametrize("as_folder", [str, Path.as_uri])
def test_files_are_written_and_replaced(tmp_path: Path, as_folder: object) -> None:
    assert callable(as_folder)
    folder = tmp_path / "run 1" / "report"
    for text in ("first, longer", "żółw"):
        write_files(as_folder(folder), {"report.html": text, "report.json": "{}"}, "the report")
        assert (folder / "report.html").read_text(encoding="utf-8") == text
    assert sorted(p.name for p in folder.iterdir()) == ["report.html", "report.json"]


def test_a_write_that_fails_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(str(tmp_path), {"report.html": "old"}, "the report")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(RunFailed, match="No space left on device"):
        write_files(str(tmp_path), {"report.html": "new"}, "the report")
    assert [p.name for p in tmp_path.iterdir()] == ["report.html"]
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == "old"


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "report").write_text("a file")
    with pytest.raises(RunFailed, match="the report cannot be written to"):
        write_files(str(tmp_path / "report"), {"report.html": "x"}, "the report")
    with pytest.raises(RunFailed, match="nowhere://x"):
        write_files("nowhere://x", {"report.html": "x"}, "the report")
