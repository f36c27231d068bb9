"""Topics as folders with one JSON-lines file a partition: for a laptop, a dry run, a test."""

from __future__ import annotations

import contextlib
import fcntl
import shutil
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from cutline.errors import ConfigurationError, RunFailed
from cutline.project.names import APPENDING
from cutline.spark.few_rows import FEW
from cutline.topics.counted import with_topic_counts
from cutline.topics.murmur2 import partition
from cutline.topics.partition_file import PLACE, PartitionFile, partition_files, sync_folder
from cutline.topics.record import (
    ID_HEADER,
    REGION_HEADER,
    RUN_HEADER,
    ControlRecord,
    body,
    record_id,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["ControlRecord", "FileTopics"]

_KEYS = "topic string, key string"


class FileTopics:
    """Topics under the folder `path`; a new one gets so many `partitions`.

    A partition is replaced whole, so no reader ever sees half a line of ours, and what a run
    writes again replaces what it wrote before, so a killed run is simply run again. An event that
    stands on a topic from another run, by its `ce_id`, is not sent again. Processes of one machine
    take turns.

    What `files` does not give is a transaction across partitions: between a kill and the next
    attempt some partitions hold the run's records and others do not. `check_lease` is called before
    the partitions are replaced, and raises if the slice is another process's by now; what happens
    between call and replacement, nothing fences. A partition is copied for each append.
    Spark's workers must see the folder.

    Each method raises ConfigurationError where a topic has another number of partitions, and
    RunFailed where the file system refuses.
    """

    def __init__(
        self, path: str, partitions: int, check_lease: Callable[[], None] = lambda: None
    ) -> None:
        self._root = Path(path)
        self._partitions = partitions
        self._check_lease = check_lease

    def append(
        self, topic: str, run_id: str, records: DataFrame, order: Sequence[str] = ()
    ) -> None:
        """Put a run's records on a topic, in place of those that it put there before.

        `records` has key, headers (a map, or a struct as `cutline.topics.headers` has it), value
        (JSON text, null for a tombstone) and timestamp. Within a partition they stand by key, then
        by the columns that `order` names. A record without a key goes to partition 0. Each gets the
        header `migrunid`.
        """
        from pyspark.sql import functions as F

        self.append_all([topic], run_id, records.withColumn("topic", F.lit(topic)), order)

    def append_all(
        self, topics: Sequence[str], run_id: str, records: DataFrame, order: Sequence[str] = ()
    ) -> dict[str, int]:
        """As `append`, for several topics in one pass: `records` has their names as `topic`.

        A topic that no record names loses what the run put there before. A record that names none
        of the topics fails. Returns the number of the run's records by topic, those included that
        stand there from another run.
        """
        from cutline.topics.unsent import ids_of, records_of_events, unsent_events

        def unsent(counted: DataFrame, work: Path) -> DataFrame:
            if not self._files_of(topics):
                return counted
            ids, number = _aside(ids_of(counted), work / "ids")
            heads = self._heads_of(topics, ids, number, work, "id")
            events = _aside(unsent_events(ids, heads, run_id), work / "unsent")
            # Without the counting, which Spark would do for all of them before it chooses.
            return records_of_events(records, *events)

        return self._append(topics, run_id, records, order, unsent, keyed=True)

    def append_in_order(
        self, topics: Sequence[str], run_id: str, records: DataFrame, order: Sequence[str]
    ) -> dict[str, int]:
        """As `append_all`, in the order of `order` alone, whatever the keys; all of the records,
        also those whose event stands there from another run."""
        return self._append(topics, run_id, records, order, lambda rows, _work: rows, keyed=False)

    def _append(
        self,
        topics: Sequence[str],
        run_id: str,
        records: DataFrame,
        order: Sequence[str],
        wanted: Callable[[DataFrame, Path], DataFrame],
        *,
        keyed: bool,
    ) -> dict[str, int]:
        from cutline.topics.lines import new_lines

        counted, counts = with_topic_counts(records, topics)

        with self._turns(topics) as opened, self._work(topics, run_id) as work:
            lines = new_lines(
                wanted(counted, work), run_id, list(opened), order, self._partitions, keyed=keyed
            )
            _write(lines, work)
            self._check_lease()
            for slot, file in enumerate(chain.from_iterable(opened.values())):
                file.append(run_id, _lines(work, slot, new=True))
        return counts()

    def append_records(self, topic: str, run_id: str, records: Sequence[ControlRecord]) -> None:
        """Put single records behind what is there.

        What the run has told before (of the same type and step) is not told again.
        """
        with self._turn(topic) as files:
            for file in files:
                mine = [r for r in records if partition(r.key, self._partitions) == file.number]
                unsent = {record_id(r, topic, run_id): r for r in mine}
                for headers in file.headers_of_run(run_id) if unsent else ():
                    unsent.pop(str(headers.get("ce_id")), None)
                if unsent:
                    file.add(body(r, topic, run_id) for r in unsent.values())

    def compact(
        self, topic: str, run_id: str, records: DataFrame, order: Sequence[str] = ()
    ) -> None:
        """Put records on a compacted topic, where each key keeps its last record only.

        As `append`; but of several records with one key the last by `order` is taken, and it takes
        the place of what the topic held for that key. What says the same as stands there from
        another run is left as it stands. A tombstone stays as its key's record. A record without a
        key fails, as it would in Kafka.
        """
        from pyspark.sql import functions as F

        self.compact_all([topic], run_id, records.withColumn("topic", F.lit(topic)), order)

    def compact_all(
        self, topics: Sequence[str], run_id: str, records: DataFrame, order: Sequence[str] = ()
    ) -> dict[str, int]:
        """As `compact`, for several topics in one pass: `records` has their names as `topic`.

        Returns the number of records by topic, those included that say what stands there.
        """
        from cutline.topics.lines import compacted_lines, last_lines
        from cutline.topics.unsent import changed_keys, contents_of, records_of_keys

        counted, counts = with_topic_counts(records, topics)

        with self._turns(topics) as opened, self._work(topics, run_id) as work:
            names = list(opened)
            # Of few changed keys the driver takes the lines away; of many Spark gives what is left.
            replaced: dict[str, set[str]] | None = {}
            if not self._files_of(topics):
                lines = last_lines(counted, run_id, names, order, self._partitions)
            else:
                contents, number = _aside(contents_of(counted), work / "contents")
                heads = self._heads_of(topics, contents, number, work, "key")
                keys, number = _aside(changed_keys(contents, heads, run_id), work / "unsent")
                changed = records_of_keys(records, keys, number)
                if number <= FEW:
                    replaced = _by_topic(keys, "key")
                    lines = last_lines(changed, run_id, names, order, self._partitions)
                else:
                    replaced = None
                    lines = compacted_lines(heads, changed, run_id, names, order, self._partitions)
            _write(lines, work)
            self._check_lease()
            places = [(topic, file) for topic, files in opened.items() for file in files]
            for slot, (topic, file) in enumerate(places):
                other_lines = (
                    _lines(work, slot, new=False)
                    if replaced is None
                    else file.lines_without(run_id, replaced.get(topic, ()))
                )
                file.compact(other_lines, _lines(work, slot, new=True))
        return counts()

    def standing(
        self,
        spark: SparkSession,
        topics: Sequence[str],
        region: str,
        run_id: str,
        keys: DataFrame | None = None,
    ) -> DataFrame:
        """Topic and key of what compacted topics hold of a slice now, or of these `keys` of them.
        Of tombstones only the run's own: what they say was there before it.
        """
        from pyspark.sql import functions as F

        from cutline.spark.among import among
        from cutline.spark.no_rows import no_rows
        from cutline.topics.few_lines import standing_keys
        from cutline.topics.lines import no_content

        files = self._files_of(topics)
        if not files:
            return no_rows(spark, _KEYS)
        if keys is not None and keys.limit(FEW + 1).count() <= FEW:
            by_topic = _by_topic(keys, "key")
            return spark.createDataFrame([*standing_keys(files, by_topic, region, run_id)], _KEYS)
        heads = self._heads(spark, topics, REGION_HEADER, RUN_HEADER)
        is_there = (F.col("content") != no_content()) | (F.col(RUN_HEADER) == run_id)
        ours = heads.where((F.col(REGION_HEADER) == region) & is_there).select("topic", "key")
        return ours if keys is None else among(ours, keys)

    def imprint(
        self, spark: SparkSession, topics: Sequence[str], region: str
    ) -> dict[str, str] | None:
        """By partition, how many lines the topics hold and what they come to, those of other
        regions left out: another text where any came, went or was changed."""
        from cutline.topics.lines import imprints

        # While nobody else of this machine writes.
        with self._turns(topics):
            if not self._files_of(topics):
                return {}
            rows = imprints(self._lines_of(spark, topics), region).collect()
        return {f"{row[0]}/{row[1]}": " ".join(map(str, row[2:])) for row in rows}

    def read(self, spark: SparkSession, topics: Sequence[str]) -> DataFrame:
        """One row per line of these topics; a topic that is not there has none.

        Columns: topic, partition, offset, timestamp, key, headers (map<string,string>), value
        (JSON text; null for a tombstone), line (the line as it stands). A line that is not one
        JSON object has null for all that it does not tell.
        """
        from cutline.spark.no_rows import no_rows
        from cutline.topics.lines import RECORDS, records

        if not self._files_of(topics):
            return no_rows(spark, RECORDS)
        return records(self._lines_of(spark, topics))

    def _heads_of(
        self, topics: Sequence[str], rows: DataFrame, number: int, work: Path, by: str
    ) -> DataFrame:
        """Heads of the topics: all of them, or where the rows are few at least those of their ids
        or keys, which `by` says."""
        from cutline.topics.few_lines import copy_lines, of_ids, of_keys
        from cutline.topics.lines import heads

        spark = rows.sparkSession
        headers = (RUN_HEADER, ID_HEADER if by == "id" else REGION_HEADER)
        if number > FEW:
            return self._heads(spark, topics, *headers)
        wanted = _by_topic(rows, by)
        choose = of_ids(wanted) if by == "id" else of_keys(wanted)
        copies = copy_lines(self._files_of(topics), choose, work / "heads")
        return heads(_lines_in(spark, copies), *headers)

    def _heads(self, spark: SparkSession, topics: Sequence[str], *headers: str) -> DataFrame:
        """The heads of these topics (`cutline.topics.lines`), which hold some lines."""
        from cutline.topics.lines import heads

        return heads(self._lines_of(spark, topics), *headers)

    def _lines_of(self, spark: SparkSession, topics: Sequence[str]) -> DataFrame:
        return _lines_in(spark, [file.path for _, file in self._files_of(topics)])

    def _files_of(self, topics: Sequence[str]) -> list[tuple[str, PartitionFile]]:
        """The partitions of topics that hold any lines, with their topics."""
        every = [(topic, file) for topic in topics for file in partition_files(self._root / topic)]
        return [(topic, file) for topic, file in every if file.path.stat().st_size]

    @contextlib.contextmanager
    def _turns(self, topics: Sequence[str]) -> Iterator[dict[str, list[PartitionFile]]]:
        """The partitions of topics; taken in one order, so that no two processes wait crosswise."""
        with contextlib.ExitStack() as stack:
            yield {t: stack.enter_context(self._turn(t)) for t in sorted(set(topics))}

    @contextlib.contextmanager
    def _turn(self, topic: str) -> Iterator[list[PartitionFile]]:
        """The partitions of a topic, which nobody else writes meanwhile."""
        work = self._root / APPENDING
        try:
            work.mkdir(parents=True, exist_ok=True)
            with (work / f"{topic}.lock").open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                yield self._opened(topic)
        except OSError as error:
            raise RunFailed(
                f"topic {topic} cannot be written in {self._root}: {error}",
                left_behind="Each partition is whole: as before, or with the run's records.",
                next_step="Run the same command again when that is mended.",
            ) from error

    def _opened(self, topic: str) -> list[PartitionFile]:
        folder = self._root / topic
        existing = partition_files(folder)
        if existing and existing[-1].number + 1 != self._partitions:
            raise ConfigurationError(
                f"topic {topic} in {self._root} has {existing[-1].number + 1} partitions, "
                f"but the project asks for {self._partitions}",
                left_behind="Nothing was written.",
                next_step="Keys would change their partition. Set `topics.partitions` to what the "
                "topic has, or choose another `topics.prefix`.",
            )
        files = [PartitionFile(folder, number) for number in range(self._partitions)]
        if len(existing) < len(files):
            folder.mkdir(exist_ok=True)
            # The last one first, so that a kill in between leaves a topic of the right size.
            for file in reversed(files):
                file.path.touch()
            sync_folder(folder)
        return files

    @contextlib.contextmanager
    def _work(self, topics: Sequence[str], run_id: str) -> Iterator[Path]:
        """A folder for Spark to write to: empty, whatever a killed attempt left, and then gone.

        Whoever has the turn of the first topic is the only one to use it.
        """
        work = self._root / APPENDING / f"{min(topics)}.{run_id}"
        shutil.rmtree(work, ignore_errors=True)
        try:
            yield work
        finally:
            shutil.rmtree(work, ignore_errors=True)


def _aside(rows: DataFrame, place: Path) -> tuple[DataFrame, int]:
    """Narrow rows, computed once, and how many there are."""
    from cutline.spark.written_aside import written_aside

    aside = written_aside(rows, _url(place))
    return aside, aside.count()


def _by_topic(rows: DataFrame, name: str) -> dict[str, set[str]]:
    """Ids or keys by topic; there are few."""
    by_topic: dict[str, set[str]] = {}
    for row in rows.select("topic", name).collect():
        by_topic.setdefault(row["topic"], set()).add(row[name])
    return by_topic


def _lines_in(spark: SparkSession, paths: Sequence[Path]) -> DataFrame:
    return spark.read.text([_url(path) for path in paths], lineSep="\n")


def _write(lines: DataFrame, work: Path) -> None:
    """Write the columns of `cutline.topics.lines`, sorted, into one file per slot and kind."""
    (
        lines.repartition(PLACE[0])
        .sortWithinPartitions(*lines.columns)
        .select(*PLACE, "line")
        .write.partitionBy(*PLACE)
        .text(_url(work / "lines"), compression="none", lineSep="\n")
    )


def _lines(work: Path, slot: int, *, new: bool) -> Iterator[bytes]:
    folder = work / "lines" / f"{PLACE[0]}={slot}" / f"{PLACE[1]}={str(new).lower()}"
    for path in sorted(folder.glob("part-*")):
        with path.open("rb") as file:
            for line in file:
                yield line.removesuffix(b"\n")


def _url(path: Path) -> str:
    return f"file://{path.absolute()}"
