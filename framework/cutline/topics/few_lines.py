"""Lines of topics of files, of a few ids or keys, without parsing the rest."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path

from cutline.topics.partition_file import PartitionFile, key_of, parsed_record
from cutline.topics.record import REGION_HEADER, RUN_HEADER

OfTopic = tuple[str, PartitionFile]
"""A partition, and the topic that it is one of."""
Choose = Callable[[str, PartitionFile], Iterable[bytes]]


def of_ids(ids: Mapping[str, Collection[str | None]]) -> Choose:
    """Chooses the lines of events by their ids by topic, as `PartitionFile.lines_of_ids` has it."""
    encoded = {
        topic: {event_id.encode() for event_id in of_topic if event_id is not None}
        for topic, of_topic in ids.items()
    }
    return lambda topic, file: file.lines_of_ids(encoded[topic]) if encoded.get(topic) else ()


def of_keys(keys: Mapping[str, Collection[str]]) -> Choose:
    """Chooses the lines of records by their keys by topic, as `lines_of_keys` has it."""
    return lambda topic, file: file.lines_of_keys(keys[topic]) if keys.get(topic) else ()


def copy_lines(files: Iterable[OfTopic], choose: Choose, folder: Path) -> list[Path]:
    """Copy some lines of partitions into a folder, under the names that they have as topics."""
    copies = []
    for topic, file in files:
        copy = folder / topic / file.path.name
        copy.parent.mkdir(parents=True, exist_ok=True)
        with copy.open("wb") as out:
            out.writelines(line + b"\n" for line in choose(topic, file))
        copies.append(copy)
    return copies


def standing_keys(
    files: Iterable[OfTopic], keys: Mapping[str, Collection[str]], region: str, run_id: str
) -> Iterator[tuple[str, str]]:
    """Topic and key of the lines of some keys by topic that are of a region, of tombstones only of
    the run's own."""
    choose = of_keys(keys)
    for topic, file in files:
        for line in choose(topic, file):
            record = parsed_record(line)
            key, headers = key_of(record), record.get("headers")
            if key is None or key not in keys[topic] or not isinstance(headers, dict):
                continue
            is_there = record.get("value") is not None or headers.get(RUN_HEADER) == run_id
            if headers.get(REGION_HEADER) == region and is_there:
                yield topic, key
