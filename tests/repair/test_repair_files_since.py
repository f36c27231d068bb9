"""What files hold by now that a checkpoint was not made of."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from cutline.repair.files_since import files_since
from cutline.replay.archive_files import freeze_archive

ONE, TWO, THREE = '{"n": 1}\n', '{"n": 2}\n', '{"n": 3}\n'
BEFORE = {"a": ONE, "b": TWO}


def written(folder: Path, files: Mapping[str, str]) -> str:
    """An archive of these files, by name what each holds."""
    folder.mkdir(exist_ok=True)
    for file in folder.iterdir():
        file.unlink()
    for name, text in files.items():
        (folder / f"{name}.jsonl").write_text(text)
    return str(folder)


@pytest.mark.parametrize(
    ("now", "came", "changed"),
    [
        (BEFORE, {}, []),
        ({"b": TWO}, {}, []),
        ({"a": ONE, "new-name": TWO}, {}, []),
        ({**BEFORE, "c": THREE}, {"c": 0}, []),
        ({**BEFORE, "copy": TWO}, {"copy": 0}, []),
        ({"a": ONE, "c": TWO, "copy": TWO}, {"copy": 0}, []),
        ({"a": ONE + THREE, "b": TWO}, {"a": 1}, []),
        ({"a": TWO, "b": TWO}, {}, ["a"]),
        ({"a": THREE + ONE, "b": TWO}, {}, ["a"]),
        ({"a": "", "b": TWO}, {}, ["a"]),
    ],
)
def test_files_that_came_grew_or_changed_are_named(
    tmp_path: Path, now: Mapping[str, str], came: Mapping[str, int], changed: list[str]
) -> None:
    place = tmp_path / "archive"
    before = freeze_archive(written(place, BEFORE), "json", "replays.orders.source")
    after = freeze_archive(written(place, now), "json", "replays.orders.source")
    since = files_since(before, after, "replays.orders.source")
    assert {Path(file.place).stem: rows for file, rows in since.came} == came
    assert [Path(name).stem for name in since.changed] == changed
