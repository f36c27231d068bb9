"""A replay on its way to topics, of the kind that the project has, and read back from there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from pyspark.sql import DataFrame

from cutline.errors import ConfigurationError, RunFailed
from cutline.project.kafka import KafkaConnection
from cutline.project.loaded import LoadedProject
from cutline.project.topics import FileTopicsSection, KafkaTopicsSection
from cutline.quotas import job_settings
from cutline.replay.archive_files import PREFIX
from cutline.replay.destination import REPLAYS
from cutline.replay.request import NOTHING_SENT
from cutline.topics import names
from cutline.topics.files import FileTopics
from cutline.topics.kafka.rows import outgoing
from cutline.topics.kafka.tally import RecordTally
from cutline.topics.partition_file import PartitionFile
from cutline.topics.record import RUN_HEADER

if TYPE_CHECKING:
    import pyarrow as pa

    from cutline.control import PublishedPartition
    from cutline.lake.lake import Lake

TALLIED = "slot int, records bigint, digest string, chain string"


@dataclass(frozen=True)
class ReplaySender:
    """Who sends a replay to a destination: its id, under the epoch of that one's lease.

    `project` has the topics that the destination is one of, and `key` is where cutline.yaml says
    their cluster.
    """

    project: LoadedProject
    lake: Lake
    destination: str
    replay: str
    epoch: int
    rate: int | None
    key: str = "topics.kafka"


class ReplayTopics(Protocol):
    """Where a replay is sent. Errors as `KafkaTopics` and `FileTopics` have them."""

    def holds(self, topic: str, position: str, sources: Sequence[str]) -> bool:
        """Whether a topic is one of the sources of a replay, read up to a position."""
        ...

    def refuse_consumers(self, topic: str, groups: Sequence[str]) -> None:
        """ConfigurationError for a topic that any group but these consumes."""
        ...

    def send(
        self, topics: Sequence[str], records: DataFrame, order: Sequence[str]
    ) -> dict[str, Any]:
        """Put records on topics, and read them back: by topic and partition, how many, and the
        digest. RunFailed where others are there than were to be sent."""
        ...


def replay_topics(sender: ReplaySender) -> ReplayTopics:
    """The topics of the project: the place that chooses their kind."""
    section = sender.project.file.topics
    if isinstance(section, FileTopicsSection):
        if sender.rate is not None:
            raise ConfigurationError(
                "--rate is for topics on Kafka: topics of files are written whole",
                left_behind=NOTHING_SENT,
                next_step="Leave it out.",
            )
        return ReplayFiles(sender, section)
    return ReplayKafka(sender, section)


@dataclass(frozen=True)
class ReplayFiles:
    """Topics of files. They have no consumer groups: whoever reads them keeps positions of its
    own."""

    sender: ReplaySender
    section: FileTopicsSection

    def holds(self, topic: str, position: str, sources: Sequence[str]) -> bool:
        """Whether it is read from files under the same name."""
        return topic in sources and position.startswith(PREFIX)

    def refuse_consumers(self, topic: str, groups: Sequence[str]) -> None:
        """Nobody's reading of files is known."""

    def send(
        self, topics: Sequence[str], records: DataFrame, order: Sequence[str]
    ) -> dict[str, Any]:
        """Put records on topics, and read them back as a service does. ConfigurationError where a
        line there is no record."""
        sender, section = self.sender, self.section
        root = sender.project.path(section.path)
        files = FileTopics(root, section.partitions, sender.lake.check_lease)
        files.append_in_order(topics, sender.replay, records, order)
        rows = outgoing(records, sender.replay, topics, order, section.partitions, keyed=False)
        expected = {row["slot"]: row for row in _tallied(rows).collect()}
        figures: dict[str, Any] = {}
        for index, topic in enumerate(topics):
            for number in range(section.partitions):
                tally = self._read_back(root, topic, number)
                row = expected.get(index * section.partitions + number)
                wanted = (row["records"], row["digest"], row["chain"]) if row else _NOTHING
                _refuse_difference(f"{topic}[{number}] in {root}", tally, wanted)
                if tally.records:
                    figures[f"{topic}[{number}]"] = _figures(tally.records, tally.digest)
        return figures

    def _read_back(self, root: str, topic: str, number: int) -> RecordTally:
        from cutline.consumer.errors import ConsumerError
        from cutline.consumer.files import FilesSource

        tally, mine = RecordTally(), (RUN_HEADER, self.sender.replay.encode())
        try:
            for record in FilesSource(root).records(topic, number):
                if mine in record.headers:
                    headers = [(name, text or b"") for name, text in record.headers]
                    tally.add(np.array([_hash(record.key, headers, record.value)], dtype="<i8"))
        except ConsumerError as error:
            file = PartitionFile(Path(root) / topic, number).path
            raise ConfigurationError(
                f"{file} cannot be read back: {error.what_failed}",
                left_behind="What was sent stays on the topic, and is not called done.",
                next_step="Mend or remove the line, which nobody who reads the topic gets past; "
                "then run the same command again.",
            ) from error
        return tally


_NOTHING = (0, RecordTally().digest, RecordTally().chain)


def _tallied(rows: DataFrame) -> DataFrame:
    """One row per slot of `outgoing` rows: how many there are, and the digests."""

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        tallies: dict[int, RecordTally] = {}
        for batch in batches:
            columns = (batch.column(n).to_pylist() for n in ("slot", "key", "headers", "value"))
            for slot, key, headers, value in zip(*columns, strict=True):
                tally = tallies.setdefault(slot, RecordTally())
                tally.add(np.array([_hash(key, headers, value)], dtype="<i8"))
        table = [(s, t.records, t.digest, t.chain) for s, t in tallies.items()]
        kinds = (pa.int32(), pa.int64(), pa.string(), pa.string())
        arrays = [pa.array([row[i] for row in table], kind) for i, kind in enumerate(kinds)]
        yield pa.RecordBatch.from_arrays(arrays, names=["slot", "records", "digest", "chain"])

    return rows.select("slot", "key", "headers", "value").mapInArrow(work, TALLIED)


def _hash(key: bytes | None, headers: Sequence[tuple[str, bytes]], value: bytes | None) -> int:
    """A number of 64 bits over what a record holds, with the lengths of its parts."""
    parts: list[bytes | None] = [key, value]
    parts += [part for name, text in sorted(headers) for part in (name.encode(), text)]
    digest = blake2b(digest_size=8)
    for part in parts:
        digest.update(b"-" if part is None else b"%d:" % len(part) + part)
    return int.from_bytes(digest.digest(), "little", signed=True)


def _refuse_difference(place: str, tally: RecordTally, wanted: tuple[int, str, str]) -> None:
    actual = (tally.records, tally.digest, tally.chain)
    if actual != wanted:
        holds = (
            f"{tally.records:,} records, not {wanted[0]:,}"
            if tally.records != wanted[0]
            else "as many records as were to be sent, but others"
            if tally.digest != wanted[1]
            else "the records in another order"
        )
        raise RunFailed(
            "what the replay sent was read back, and is not what was to be sent: "
            f"{place} has {holds}",
            left_behind="The records stay on the topic; the replay is not called done.",
            next_step="Find out who else writes there, before anybody reads on.",
        )


def _figures(records: int, digest: str | None) -> dict[str, Any]:
    return {"records": records, "digest": digest}


def place_of_topics(project: LoadedProject, key: str) -> str:
    """Where the topics of a project are: the id of their cluster, whose `key` is in cutline.yaml,
    or their folder as it is written there. RunFailed where a cluster does not answer."""
    section = project.file.topics
    if isinstance(section, FileTopicsSection):
        return section.path
    return cluster_id(project, section.kafka, key)


def cluster_id(project: LoadedProject, connection: KafkaConnection, key: str) -> str:
    """The id of a cluster, whose `key` is in cutline.yaml. RunFailed where it does not answer."""
    from cutline.kafka import client_settings
    from cutline.kafka.cluster import KafkaCluster

    return KafkaCluster(client_settings(connection, project.folder), key, starting=True).id()


@dataclass(frozen=True)
class ReplayKafka:
    """Topics of Kafka, published to as a run publishes: data and progress in one transaction."""

    sender: ReplaySender
    section: KafkaTopicsSection

    def holds(self, topic: str, position: str, sources: Sequence[str]) -> bool:
        """Whether it is read from the same cluster, however that is reached."""
        if topic not in sources or position.startswith(PREFIX):
            return False
        from cutline.kafka.frozen import FrozenTopics

        cluster = cluster_id(self.sender.project, self.section.kafka, self.sender.key)
        return FrozenTopics.read(position).cluster == cluster

    def refuse_consumers(self, topic: str, groups: Sequence[str]) -> None:
        """ConfigurationError for a topic that any group but these has read or is about to read."""
        from cutline.kafka import client_settings
        from cutline.replay.consumers import refuse_consumers

        settings = client_settings(self.section.kafka, self.sender.project.folder)
        refuse_consumers(settings, topic, groups)

    def send(
        self, topics: Sequence[str], records: DataFrame, order: Sequence[str]
    ) -> dict[str, Any]:
        """Put records on topics in transactions; they are read back there."""
        from cutline.topics.choice import kafka_settings
        from cutline.topics.kafka.slots import Publisher
        from cutline.topics.kafka.topics import KafkaTopics

        sender, section = self.sender, self.section
        publisher = Publisher(
            context=REPLAYS,
            region=REPLAYS,
            run_id=sender.replay,
            epoch=sender.epoch,
            progress_topic=names.progress(section.prefix, REPLAYS),
            progress_partitions=section.partitions,
            settings=job_settings(sender.project, sender.destination),
            patience=float(section.patience),
        )
        settings = kafka_settings(section)
        if sender.rate is not None:
            throttle = replace(settings.throttle, messages_per_second=float(sender.rate))
            settings = replace(settings, throttle=throttle)
        figures: dict[str, Any] = {}

        def remember(published: Sequence[PublishedPartition]) -> None:
            for part in published:
                if part.records:
                    place = f"{part.topic}[{part.partition}]"
                    figures[place] = _figures(part.records, part.digest)

        kafka = KafkaTopics(publisher, settings, sender.lake, remember)
        kafka.append_in_order(topics, sender.replay, records, order)
        return figures
