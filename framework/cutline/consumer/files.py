"""Topics of kind `files`: one JSON-lines file a partition, read without a broker."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from cutline.consumer.errors import ConsumerError
from cutline.consumer.json_text import member_texts, parsed_json
from cutline.consumer.received import Received

_FILE = re.compile(r"\d{5}\.jsonl")


class FilesSource:
    """The topics under the folder `path`, as Cutline writes them with `topics.kind: files`."""

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path)

    def partitions(self, topic: str) -> list[int]:
        """The partitions of a topic, in order. ConsumerError for one that is not there."""
        folder = self._path / topic
        if not folder.is_dir():
            raise ConsumerError(
                f"topic {topic} is not there: {folder} is no folder",
                left_behind="Nothing was read.",
                next_step="Mend its name, or run Cutline first, which makes it with GO.",
            )
        return sorted(int(file.stem) for file in folder.iterdir() if _FILE.fullmatch(file.name))

    def records(self, topic: str, partition: int, start: int = 0) -> Iterator[Received]:
        """The records of a partition from the offset `start` on, in the order of its file.

        ConsumerError, with topic, partition and line, for a line that is no record.
        """
        file = self._path / topic / f"{partition:05d}.jsonl"
        with file.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                if not line.strip():
                    continue
                try:
                    record = _record(topic, partition, line.decode())
                except (ValueError, LookupError, TypeError, RecursionError) as error:
                    raise ConsumerError(
                        f"topic {topic}, partition {partition}, line {number} of {file.name} is "
                        f"no record: {error}",
                        left_behind="What stands before it was handled.",
                        next_step="Mend the line, and read the topic again.",
                    ) from error
                if record.offset >= start:
                    yield record


def _record(topic: str, partition: int, line: str) -> Received:
    """The record of a line; its value as the bytes that stand there, null for a tombstone."""
    texts = member_texts(line)
    offset = parsed_json(texts["offset"])
    if not isinstance(offset, int) or isinstance(offset, bool):
        raise ValueError("its offset is no number")
    key = parsed_json(texts.get("key", "null"))
    headers = parsed_json(texts.get("headers", "{}"))
    if not isinstance(headers, dict):
        raise ValueError("its headers are no object")
    value = texts.get("value", "null")
    return Received(
        topic,
        partition,
        offset,
        None if key is None else str(key).encode(),
        tuple((name, str(text).encode()) for name, text in headers.items() if text is not None),
        None if value == "null" else value.encode(),
    )
