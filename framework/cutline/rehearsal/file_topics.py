"""A rehearsal on topics of files."""

from __future__ import annotations

import datetime as dt
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from cutline.consumer.files import FilesSource
from cutline.consumer.received import Received
from cutline.errors import RunFailed
from cutline.identity import canonical_json
from cutline.rehearsal.interface import LiveLook
from cutline.rehearsal.record import RehearsedRecord
from cutline.topics.catalog.files import FileCatalog
from cutline.topics.murmur2 import partition
from cutline.topics.partition_file import PartitionFile, partition_files


class RehearsalFiles:
    """Topics under a folder. They have no consumer groups: whoever reads them keeps positions of
    its own, so nobody's lag is known."""

    def __init__(self, root: str, partitions: int) -> None:
        self._root, self._partitions = Path(root), partitions
        self._catalog = FileCatalog(root)

    def make(self, history: Sequence[str], states: Sequence[str]) -> None:
        """Make topics that must not exist yet."""
        with self._reached():
            for topic in (*history, *states):
                folder = self._root / topic
                folder.mkdir(parents=True)
                for number in range(self._partitions):
                    PartitionFile(folder, number).path.touch()

    def send(self, records: Sequence[RehearsedRecord]) -> list[float]:
        """Put records behind what is there; of each, the milliseconds until it was on the disk."""
        began, milliseconds = time.perf_counter(), []
        bodies: dict[tuple[str, int], list[bytes]] = defaultdict(list)
        for record in records:
            number = partition(record.key, self._partitions)
            bodies[record.topic, number].append(_body(record))
        with self._reached():
            for (topic, number), lines in bodies.items():
                PartitionFile(self._root / topic, number).add(lines)
                milliseconds += [(time.perf_counter() - began) * 1000] * len(lines)
        return milliseconds

    def read(self, topics: Sequence[str]) -> Iterator[Received]:
        """All that stands on these topics, partition by partition."""
        source = FilesSource(self._root)
        for topic in topics:
            for number in source.partitions(topic):
                yield from source.records(topic, number)

    def brokers(self) -> None:
        """There are none."""

    def standing(self, namespace: str) -> list[str]:
        """The topics there are whose names begin with a namespace."""
        return [name for name in self._catalog.topics() if name.startswith(f"{namespace}.")]

    def remove(self, namespace: str) -> int:
        """Remove the topics of a namespace; how many they were."""
        topics = self.standing(namespace)
        self._catalog.remove(topics)
        return len(topics)

    def look(self, topics: Sequence[str]) -> LiveLook:
        """How many lines topics have, by partition; not all who write live topics number them."""
        with self._reached():
            return LiveLook(
                ends={
                    topic: {
                        str(part.number): sum(1 for _ in part.lines())
                        for part in partition_files(self._root / topic)
                    }
                    for topic in topics
                }
            )

    def close(self) -> None:
        """Nothing is held open."""

    @contextmanager
    def _reached(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise RunFailed(
                f"the topics of the rehearsal in {self._root} cannot be used: {error}",
                left_behind="Topics of its namespace may be there still.",
                next_step="Mend that; then the next rehearsal removes them.",
            ) from error


def _body(record: RehearsedRecord) -> bytes:
    """A record's line from behind its offset."""
    moment = dt.datetime.fromtimestamp(record.millis / 1000, dt.UTC)
    head = canonical_json({"headers": record.headers, "key": record.key})
    # Valid JSON has line ends between its tokens only, where a blank does as well.
    value = "null" if record.value is None else record.value.replace("\n", " ").replace("\r", " ")
    stamp = canonical_json(moment)
    return f'"timestamp":{stamp},{head[1:-1]},"value":{value}}}'.encode()
