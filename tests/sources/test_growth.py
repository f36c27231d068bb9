"""What is new in files that grew: whole lines behind what was read, which must still be there."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from cutline.errors import ConfigurationError, RunFailed
from cutline.results import FileRead
from cutline.sources.changes.file_part import FilePart, copy_part, parts_until
from cutline.sources.growth import Growth, all_of, growth_of, refuse_rewritten
from cutline.sources.needs_whole import NeedsWholeRun


def as_read(name: str, content: bytes) -> FileRead:
    digest = hashlib.sha256(content).hexdigest()
    lines = content.count(b"\n") + (not content.endswith(b"\n") and content != b"")
    return FileRead(name=name, bytes=len(content), lines=lines, sha256=digest)


class Input:
    """The files of an input in a folder, as a run read them and as they are now."""

    def __init__(self, folder: Path, before: Mapping[str, bytes]) -> None:
        self.folder = folder
        self.before = [as_read(name, content) for name, content in before.items()]
        self.now: Sequence[FileRead] = self.before
        self.become(before)

    def become(self, files: Mapping[str, bytes]) -> None:
        for name, content in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        self.now = [as_read(name, content) for name, content in files.items()]

    @property
    def paths(self) -> dict[str, Path]:
        return {file.name: self.folder / file.name for file in self.now}

    def growth(self) -> Growth:
        return growth_of("sources.erp", self.paths, self.before, self.now, "changes/")


def test_new_lines_and_new_files_are_parts(tmp_path: Path) -> None:
    erp = Input(tmp_path, {"a.csv": b"x\n", "changes/1.jsonl": b"1\n2\n"})
    erp.become({"a.csv": b"x\n", "changes/1.jsonl": b"1\n2\n3\n4\n", "changes/2.jsonl": b"5\n"})
    growth = erp.growth()
    assert growth.is_there
    assert [(p.path.name, p.start, p.end, p.lines_before) for p in growth.parts] == [
        ("1.jsonl", 4, 8, 2),
        ("2.jsonl", 0, 2, 0),
    ]
    assert list(growth.files) == list(erp.now)
    copy_part(growth.parts[0], tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes() == b"3\n4\n"


def test_where_nothing_came_every_part_is_empty(tmp_path: Path) -> None:
    erp = Input(tmp_path, {"changes/1.jsonl": b"1\n2"})
    growth = erp.growth()
    assert not growth.is_there
    assert list(growth.files) == erp.before


def test_a_line_without_its_end_is_left_for_another_time(tmp_path: Path) -> None:
    erp = Input(tmp_path, {"changes/1.jsonl": b"1\n"})
    erp.become({"changes/1.jsonl": b"1\n2\n3"})
    growth = erp.growth()
    assert (growth.parts[0].start, growth.parts[0].end) == (2, 4)
    assert list(growth.files) == [as_read("changes/1.jsonl", b"1\n2\n")]


def test_what_comes_after_the_look_is_left_for_another_time(tmp_path: Path) -> None:
    erp = Input(tmp_path, {"changes/1.jsonl": b"1\n"})
    erp.become({"changes/1.jsonl": b"1\n2\n"})
    (tmp_path / "changes/1.jsonl").write_bytes(b"1\n2\n3\n")
    growth = erp.growth()
    assert growth.parts[0].end == 4
    refuse_rewritten("sources.erp", erp.paths, erp.now)


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({"a.csv": b"x\n", "changes/1.jsonl": b"9\n2\n3\n"}, "changes/1.jsonl was rewritten"),
        ({"a.csv": b"x\n", "changes/1.jsonl": b"1\n"}, "changes/1.jsonl was rewritten"),
        ({"a.csv": b"x\n"}, "changes/1.jsonl is no longer there"),
        ({"a.csv": b"y\n", "changes/1.jsonl": b"1\n2\n"}, "a.csv is another file"),
        ({"a.csv": b"x\n", "b.csv": b"", "changes/1.jsonl": b"1\n2\n"}, "b.csv is another file"),
    ],
)
def test_what_was_read_must_still_be_there(
    tmp_path: Path, files: Mapping[str, bytes], says: str
) -> None:
    erp = Input(tmp_path, {"a.csv": b"x\n", "changes/1.jsonl": b"1\n2\n"})
    erp.become(files)
    with pytest.raises(ConfigurationError, match=says) as raised:
        erp.growth()
    assert "cutline run" in raised.value.next_step


@pytest.mark.parametrize("line_end", [b"\n", b"\r\n"])
def test_a_line_that_was_read_without_its_end_is_not_read_again(
    tmp_path: Path, line_end: bytes
) -> None:
    erp = Input(tmp_path, {"changes/1.jsonl": b"1\n{}"})
    erp.become({"changes/1.jsonl": b"1\n{}" + line_end})
    assert not erp.growth().is_there
    erp.become({"changes/1.jsonl": b"1\n{}" + line_end + b"3\n"})
    (part,) = erp.growth().parts
    assert (part.start, part.lines_before) == (4 + len(line_end), 2)
    assert list(erp.growth().files) == list(erp.now)


def test_a_line_that_was_read_before_it_was_whole_needs_a_whole_run(tmp_path: Path) -> None:
    erp = Input(tmp_path, {"changes/1.jsonl": b"1\n2"})
    erp.become({"changes/1.jsonl": b"1\n23\n"})
    with pytest.raises(NeedsWholeRun, match=r"the last line of changes/1\.jsonl"):
        erp.growth()


@pytest.mark.parametrize(
    ("last", "is_read"),
    [(b'{"a": 1}', True), (b'key^{"a": 1}', True), (b'{"a": 1', False), (b"null", False)],
)
def test_a_last_line_counts_when_it_is_a_whole_object(
    tmp_path: Path, last: bytes, is_read: bool
) -> None:
    erp = Input(tmp_path, {"a.csv": b"x\n", "changes/1.jsonl": b"{}\n" + last})
    growth = all_of("sources.erp", erp.paths, erp.now, "changes/")
    read = b"{}\n" + (last if is_read else b"")
    assert growth.parts[0].end == len(read)
    assert list(growth.files) == [erp.now[0], as_read("changes/1.jsonl", read)]


def test_a_file_that_is_rewritten_while_it_is_read_is_noticed(tmp_path: Path) -> None:
    erp = Input(tmp_path, {"changes/1.jsonl": b"1\n"})
    erp.become({"changes/1.jsonl": b"1\n2\n"})
    (tmp_path / "changes/1.jsonl").write_bytes(b"1\n7\n")
    with pytest.raises(RunFailed, match=r"changes/1\.jsonl was rewritten while"):
        refuse_rewritten("sources.erp", erp.paths, erp.now)


def test_parts_can_end_before_a_line(tmp_path: Path) -> None:
    path = tmp_path / "1.jsonl"
    path.write_bytes(b"1\n2\n3\n4\n")
    (part,) = parts_until([FilePart(path, 2, 8, 1)], {0: 4})
    assert (part.start, part.end) == (2, 6)
    growth = Growth((FilePart(path, 2, 8, 1),), (as_read("changes/1.jsonl", path.read_bytes()),))
    assert growth.until([part]) == (as_read("changes/1.jsonl", b"1\n2\n3\n"),)
