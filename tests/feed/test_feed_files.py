"""Live topics in files are read by the bytes of whole lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from cutline.feed.files import FileTail
from cutline.project import load
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
