"""Where live topics in files end: by offsets, as records are held against it, or by lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from cutline.rollout.live import live_ends
from support.decided import CONTEXT, TOPIC, DecidedShop


@pytest.mark.parametrize(
    ("lines", "end"),
    [
        (['{"partition":0,"offset":100,"key":"a"}', '{"partition":0,"offset":104,"key":"a"}'], 105),
        (['{"key":"a"}', '{"key":"b"}', "rubbish"], 3),
        ([], 0),
    ],
)
def test_topics_in_files_end_behind_their_last_offset(
    tmp_path: Path, lines: list[str], end: int
) -> None:
    shop = DecidedShop(tmp_path / "shop")
    shop.topic.write_text("".join(f"{line}\n" for line in lines))
    assert live_ends(shop.project, CONTEXT) == {TOPIC: {"0": end}}
