"""Live topics in files are read by the bytes of whole lines."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cutline.errors import RunFailed
from cutline.feed.files import FileTail
from cutline.feed.tail import PartitionEnds, positions_of
from cutline.project import load
from cutline.readmodels import FedPartition
from cutline.results import ExtractResult, FileRead
from support.rolled_out import CONTEXT
from support.sample_project import document, write

TOPIC = f"retail.{CONTEXT}.order.live"


@pytest.fixture
def tail(tmp_path: Path) -> FileTail:
    content = document()
    content["contexts"][CONTEXT]["live"] = {"aggregates": ["order"]}
    (tmp_path / "topics" / TOPIC).mkdir(parents=True)
    return FileTail(load(write(tmp_path, content)), CONTEXT)


def test_a_line_without_its_end_is_not_there_yet(tail: FileTail, tmp_path: Path) -> None:
    path = tmp_path / "topics" / TOPIC / "00000.jsonl"
    ends = []
    for text in ("", "abc", "abc\n", "abc\nde", "abc\nde\n" + "x" * 3_000_000):
        path.write_text(text)
        ends.append(tail.ends()[TOPIC, 0].end)
    assert ends == [0, 0, 4, 4, 7]


def test_a_part_is_so_many_whole_lines_and_says_what_is_left(
    tail: FileTail, tmp_path: Path
) -> None:
    for number, text in enumerate(("aa\nb\ncccc\n", "é\nx\n")):
        (tmp_path / "topics" / TOPIC / f"0000{number}.jsonl").write_text(text, encoding="utf-8")
    starts = {(TOPIC, 0): 3, (TOPIC, 1): 0}
    part = tail.part(starts, tail.ends(), 3)
    assert (part.after, part.count, part.left) == ({(TOPIC, 0): 10, (TOPIC, 1): 3}, 3, 1)
    assert tail.part(starts, tail.ends(), 0).left == 4


def run_that_read(*sizes: int) -> Any:
    """The record of a run that read so many bytes of each partition."""
    files = tuple(
        FileRead(name=f"{number:05d}.jsonl", bytes=size, lines=0, sha256="")
        for number, size in enumerate(sizes)
    )
    extract = ExtractResult(rows_in=0, rows_out=0, files={"live:order": files})
    return SimpleNamespace(result_of=lambda _: extract)


def test_a_run_read_as_far_as_its_last_whole_line(tail: FileTail, tmp_path: Path) -> None:
    (tmp_path / "topics" / TOPIC / "00000.jsonl").write_text("aaa\nbbb\nccc\n")
    for size, end in ((0, 0), (3, 0), (4, 4), (6, 4), (12, 12)):
        assert tail.starts(run_that_read(size)) == {(TOPIC, 0): PartitionEnds("", 0, end)}


@pytest.mark.parametrize("text", [None, "", "new\n", "newer\nne"])
def test_a_file_that_is_gone_or_shorter_than_what_its_run_read_is_refused(
    tail: FileTail, tmp_path: Path, text: str | None
) -> None:
    """What came after the cut would be taken for what the run read."""
    if text is not None:
        (tmp_path / "topics" / TOPIC / "00000.jsonl").write_text(text)
    starts = tail.starts(run_that_read(12))
    fed = {place: FedPartition("", read.end, read.end) for place, read in starts.items()}
    with pytest.raises(RunFailed, match=f"topic {TOPIC}, partition 0 was made anew or cut off"):
        positions_of(fed, tail.ends(), "cutline run")
