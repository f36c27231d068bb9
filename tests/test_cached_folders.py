"""What takes long to make is made once, and whoever changes it changes a copy."""

from __future__ import annotations

from pathlib import Path

import pytest

from support import cached_folders


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cached_folders, "FOLDER", tmp_path / "kept")


def test_it_is_made_once_and_copied(tmp_path: Path) -> None:
    folders: list[Path] = []

    def make(folder: Path) -> str:
        folders.append(folder)
        (folder / "file").write_text("whole")
        return "returned"

    assert cached_folders.copy_cached_folder("thing", make, tmp_path / "first") == "returned"
    (tmp_path / "first" / "file").write_text("changed")
    assert cached_folders.copy_cached_folder("thing", make, tmp_path / "second") == "returned"
    assert (tmp_path / "second" / "file").read_text() == "whole"
    assert folders == [cached_folders.cached_folder("thing")]


def test_what_was_not_made_to_its_end_is_made_again(tmp_path: Path) -> None:
    def fails(folder: Path) -> None:
        (folder / "half").touch()
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        cached_folders.copy_cached_folder("thing", fails, tmp_path / "first")
    cached_folders.copy_cached_folder(
        "thing", lambda folder: (folder / "whole").touch(), tmp_path / "second"
    )
    assert [file.name for file in (tmp_path / "second").iterdir()] == ["whole"]


def test_what_was_made_of_another_state_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cached_folders.copy_cached_folder("thing", lambda folder: 1, tmp_path / "first")
    before = cached_folders.cached_folder("thing")
    monkeypatch.setattr(cached_folders, "state_of_product", lambda: "another")
    assert cached_folders.copy_cached_folder("thing", lambda folder: 2, tmp_path / "second") == 2
    assert not before.exists()
