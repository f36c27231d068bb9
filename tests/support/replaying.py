"""Replays in tests: a project with topics of files, what stands on them, and archives."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

import cutline
from cutline.consumer.files import FilesSource
from cutline.consumer.received import Received
from cutline.topics.murmur2 import partition
from cutline.topics.partition_file import PartitionFile

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from cutline.replay.sending import ReplayFiles, ReplayKafka

MOMENT = dt.datetime(2024, 11, 1, 6, tzinfo=dt.UTC)
AGAIN = "orders.again"


@dataclass(frozen=True)
class Placed:
    """An event of an order, `minute` minutes after MOMENT, its payload written by `version`."""

    number: int
    order: str = "o-1"
    minute: int = 0
    version: int = 1
    data: Mapping[str, Any] | None = field(default_factory=dict)
    type: str = "OrderPlaced"

    @property
    def time(self) -> str:
        moment = MOMENT + dt.timedelta(minutes=self.minute)
        return moment.isoformat().replace("+00:00", "Z")

    def headers(self) -> dict[str, str]:
        return {
            "ce_specversion": "1.0",
            "ce_id": f"id-{self.number}",
            "ce_source": "urn:shop",
            "ce_type": self.type,
            "ce_subject": self.order,
            "ce_time": self.time,
            "ce_dataschema": f"urn:shop:schema:{self.type}:{self.version}",
            "content-type": "application/json",
        }

    def record(self) -> dict[str, Any]:
        """As a line of a topic has it, without its place."""
        return {
            "timestamp": self.time,
            "key": self.order,
            "headers": self.headers(),
            "value": None if self.data is None else {"no": self.number, **self.data},
        }


def shop_document(**sections: Any) -> dict[str, Any]:
    """cutline.yaml of a project without sources, and these sections."""
    base = {
        "version": 1,
        "name": "shop",
        "topics": {"prefix": "shop", "partitions": 2},
        "sources": {},
        "regions": {"north": {}},
    }
    return base | sections


def project(folder: Path, source: Mapping[str, Any], **replay: Any) -> cutline.Project:
    """A project in a folder that may replay `orders` to AGAIN."""
    section = {"source": source, "destinations": {AGAIN: {"owner": "Order desk"}}, **replay}
    document = shop_document(replays={"orders": section})
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "cutline.yaml").write_text(yaml.safe_dump(document), encoding="utf-8")
    return cutline.Project.open(folder)


def page_project(folder: Path, sections: str, events: Iterable[Placed], file: str) -> None:
    """A project with the sections that a page shows, and events in a file of archive/orders."""
    document = shop_document(topics={"prefix": "shop"}, **yaml.safe_load(sections))
    (folder / "cutline.yaml").write_text(yaml.safe_dump(document), encoding="utf-8")
    archive = folder / "archive" / "orders"
    archive.mkdir(parents=True)
    text = "".join(f"{json.dumps(event.record())}\n" for event in events)
    (archive / file).write_text(text, encoding="utf-8")


def append_records(
    folder: Path, topic: str, records: Iterable[Mapping[str, Any]], partitions: int = 2
) -> None:
    """Put records behind what a topic of files of the project holds."""
    bodies: dict[int, list[bytes]] = {number: [] for number in range(partitions)}
    for record in records:
        bodies[partition(record["key"], partitions)].append(json.dumps(record)[1:].encode())
    place = folder / "topics" / topic
    place.mkdir(parents=True, exist_ok=True)
    for number, lines in bodies.items():
        file = PartitionFile(place, number)
        file.path.touch()
        file.add(lines)


@contextmanager
def killed_while_sending(topics: type[ReplayFiles | ReplayKafka], first: str) -> Iterator[None]:
    """Whoever sends a replay is killed when the records are sent for which the SQL `first` holds."""
    send = topics.send

    def send_some(self: Any, names: Any, records: DataFrame, order: Any) -> None:
        send(self, names, records.where(first), order)
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(topics, "send", send_some)
        with pytest.raises(KeyboardInterrupt):
            yield


def standing(folder: Path, topic: str = AGAIN) -> list[Received]:
    """What a topic of files holds, partition by partition."""
    source = FilesSource(folder / "topics")
    return [r for n in source.partitions(topic) for r in source.records(topic, n)]


def numbers(records: Iterable[Received]) -> list[int]:
    """The numbers of events, in their order."""
    return [int(dict(r.headers)["ce_id"].decode().removeprefix("id-")) for r in records]  # type: ignore[union-attr]
