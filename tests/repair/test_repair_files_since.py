"""What files hold by now that a checkpoint was not made of."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from cutline.repair.files_since import files_since
from cutline.replay.archive_files import freeze_archive

FIRST_LINE, SECOND_LINE, THIRD_LINE = '{"n": 1}\n', '{"n": 2}\n', '{"n": 3}\n'
BEFORE = {"a": FIRST_LINE, "b": SECOND_LINE}


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
        ({"b": SECOND_LINE}, {}, []),
        ({"a": FIRST_LINE, "new-name": SECOND_LINE}, {}, []),
        ({**BEFORE, "c": THIRD_LINE}, {"c": 0}, []),
        ({**BEFORE, "copy": SECOND_LINE}, {"copy": 0}, []),
        ({"a": FIRST_LINE, "c": SECOND_LINE, "copy": SECOND_LINE}, {"copy": 0}, []),
        ({"a": FIRST_LINE + THIRD_LINE, "b": SECOND_LINE}, {"a": 1}, []),
        ({"a": SECOND_LINE, "b": SECOND_LINE}, {}, ["a"]),
        ({"a": THIRD_LINE + FIRST_LINE, "b": SECOND_LINE}, {}, ["a"]),
        ({"a": "", "b": SECOND_LINE}, {}, ["a"]),
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
