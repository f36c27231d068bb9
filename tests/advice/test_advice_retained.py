"""What topics of files and archives still hold, without reading what is on them."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import Any

import pytest

import cutline
from cutline.advice.retained import PartitionSpan, TopicSpan, file_span, replay_events
from cutline.advice.situation import RetainedEvents
from cutline.errors import ConfigurationError
from cutline.project import load
from cutline.topics.partition_file import PartitionFile, partition_files
from support.replaying import AGAIN, MOMENT, Placed, append_records, project

DAY = dt.timedelta(days=1)


def span(*partitions: tuple[int, int, int | None]) -> TopicSpan:
    """Of partitions with their first offset, their end, and the day of their first record."""
    parts = [
        PartitionSpan(first, end, None if day is None else MOMENT + day * DAY)
        for first, end, day in partitions
    ]
    return TopicSpan("orders", parts)


@pytest.mark.parametrize(
    ("topic", "day"),
    [
        (span((0, 5, 3), (0, 2, 9)), 3),
        (span((0, 5, 3), (0, 0, None)), 3),
        (span((0, 5, 3), (7, 9, 4)), 4),
        (span((2, 5, 8), (7, 9, 4)), 8),
        # The second one was emptied: nobody knows when.
        (span((0, 5, 3), (7, 7, None)), None),
        (span((0, 0, None)), None),
    ],
    ids=["nothing removed", "an empty partition", "one shortened", "both", "emptied", "empty"],
)
def test_from_when_on_a_topic_has_everything(topic: TopicSpan, day: int | None) -> None:
    assert topic.whole_since == (None if day is None else MOMENT + day * DAY)


def test_a_topic_of_files_tells_records_bytes_and_its_beginning(tmp_path: Path) -> None:
    project(tmp_path, {"topics": ["orders.live"]})
    append_records(
        tmp_path,
        "orders.live",
        [Placed(n, order=f"o-{n}", minute=n).record() for n in range(1, 8)],
    )
    files = partition_files(tmp_path / "topics" / "orders.live")
    topic = file_span("orders.live", files)
    assert (topic.records, topic.bytes) == (7, sum(f.path.stat().st_size for f in files))
    assert topic.whole_since == MOMENT + dt.timedelta(minutes=1)
    first = next(file for file in files if len(list(file.lines())) > 1)
    first.replace(list(first.lines())[1:])
    lost = file_span("orders.live", files)
    assert lost.records == 6
    assert lost.whole_since == _time(next(first.lines()))


def _time(line: bytes) -> dt.datetime:
    return dt.datetime.fromisoformat(json.loads(line)["timestamp"])


def test_a_line_that_tells_no_time_leaves_the_beginning_unknown(tmp_path: Path) -> None:
    folder = tmp_path / "orders.live"
    folder.mkdir()
    file = PartitionFile(folder, 0)
    file.path.write_bytes(b'{"partition":0,"offset":4,"key":"o-1"}\n{"torn\n')
    topic = file_span("orders.live", [file])
    assert topic.partitions == [PartitionSpan(4, 5, None)]
    assert topic.whole_since is None


def retained(folder: Path) -> RetainedEvents:
    return replay_events(load(folder), "orders")


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
def test_a_replay_of_everything_tells_how_much_can_be_read(tmp_path: Path) -> None:
    source = {"topics": ["orders.live"]}
    shop = project(tmp_path, source)
    records: list[dict[str, Any]] = [
        Placed(n, order=f"o-{n}", minute=n).record() for n in range(1, 5)
    ]
    del records[0]["headers"]["ce_type"]
    append_records(tmp_path, "orders.live", records)
    before = retained(tmp_path)
    assert (before.records, before.unread, before.replay) == (4, None, "orders")
    shop.replay("orders", to=AGAIN, types=["OrderPlaced"])
    assert retained(tmp_path).unread is None, "it was not asked for everything"
    shop.replay("orders", to=AGAIN)
    assert retained(tmp_path).unread == 0.25


def test_an_archive_tells_its_bytes_and_nothing_of_its_times(tmp_path: Path) -> None:
    folder = tmp_path / "archive"
    folder.mkdir()
    project(tmp_path, {"archive": {"path": "archive", "format": "json"}})
    for number in (1, 2):
        (folder / f"{number}.jsonl").write_text("not read at all\n", encoding="utf-8")
    assert retained(tmp_path) == RetainedEvents(
        "the source of replay orders", None, bytes=32, replay="orders"
    )


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ({"topics": ["orders.live"]}, "replays.orders.source: topic orders.live is not there"),
        (
            {"archive": {"path": "archive", "format": "json"}},
            "replays.orders.source: there is no file at",
        ),
    ],
)
def test_what_is_not_there_is_named(tmp_path: Path, source: dict[str, Any], says: str) -> None:
    shop: cutline.Project = project(tmp_path, source)
    with pytest.raises(ConfigurationError, match=says) as refused:
        replay_events(shop.load(), "orders")
    assert refused.value.next_step
