"""Topics on Kafka: what a run sends is there once, in order, and was read back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cutline.control import PublishedPartition
from cutline.errors import RunFailed
from cutline.logs import logger
from cutline.topics.kafka.admin import APPENDED, COMPACTED, TopicAdmin, TopicPlan
from cutline.topics.kafka.settings import KafkaSettings
from cutline.topics.kafka.slots import Publisher, Slot, slots_of
from cutline.topics.record import ControlRecord

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from cutline.lake.lake import Lake
    from cutline.topics.kafka.prepared import PreparedTopics

_LOG = logger(__name__)


@dataclass
class KafkaTopics:
    """The topics of a project on Kafka, for one run under one epoch.

    Of a run that goes on only what is missing is sent. Of another run of the slice only what the
    topics do not hold yet: events by their ids, states by what they say. `remember` is told what is
    published where: before anything is sent, and when it was read back. The events that the
    run of the lake `earlier` looked up on the topics are not read again.

    Each method raises ConfigurationError where a topic is not as it must be or a right is missing,
    SliceBusy where a newer process publishes for the slice, and RunFailed where Kafka does not
    answer, or holds other records than were sent.
    """

    publisher: Publisher
    settings: KafkaSettings
    lake: Lake
    remember: Callable[[Sequence[PublishedPartition]], None]
    earlier: Lake | None = None
    _prepared: dict[tuple[str, ...], PreparedTopics] = field(default_factory=dict, repr=False)

    def append_all(
        self, topics: Sequence[str], run_id: str, records: DataFrame, order: Sequence[str] = ()
    ) -> dict[str, int]:
        """Put a run's records on topics, of those that the slice has not there yet.

        Returns how many records of the run the topics hold, by topic.
        """
        return self._publish(topics, run_id, records, order, compacted=False)

    def compact_all(
        self, topics: Sequence[str], run_id: str, records: DataFrame, order: Sequence[str] = ()
    ) -> dict[str, int]:
        """As `append_all`, on compacted topics: of the keys that say something else than before."""
        return self._publish(topics, run_id, _with_keys(records), order, compacted=True)

    def append_in_order(
        self, topics: Sequence[str], run_id: str, records: DataFrame, order: Sequence[str]
    ) -> dict[str, int]:
        """Put all records on topics in the order of `order` alone, whatever their keys and whatever
        stands there from other runs. Returns how many records of the run the topics hold."""
        from cutline.topics.kafka.publishing import publish_records

        assert run_id == self.publisher.run_id
        prepared = self._prepare(records.sparkSession, topics, compacted=False)
        published = publish_records(
            self.publisher, self.settings, prepared, topics, records, order, keyed=False
        )
        self._refuse_other_partitions(topics)
        self.remember(published)
        return _counted(topics, published)

    def standing(
        self,
        spark: SparkSession,
        topics: Sequence[str],
        region: str,
        run_id: str,
        keys: DataFrame | None = None,
    ) -> DataFrame:
        """Topic and key of what compacted topics hold of the slice, before the run's records, or of
        these `keys` of them."""
        assert (region, run_id) == (self.publisher.region, self.publisher.run_id)
        return self._prepare(spark, topics, compacted=True).standing_keys(spark, keys)

    def imprint(self, spark: SparkSession, topics: Sequence[str], region: str) -> None:
        """Null: nothing less than reading them tells what topics hold of a region."""

    def append_records(self, topic: str, run_id: str, records: Sequence[ControlRecord]) -> None:
        """Put single records on a topic; what the run has told there before is not told again."""
        from cutline.topics.kafka.single import send_single

        assert run_id == self.publisher.run_id
        self._ensure([topic], compacted=False)
        send_single(self.publisher, slots_of([topic], self.settings.partitions), records)

    def read(self, spark: SparkSession, topics: Sequence[str]) -> DataFrame:
        """One row per record that is committed now; a topic that is not there has none."""
        from cutline.spark.no_rows import no_rows
        from cutline.topics.kafka.prepared import committed_ends, starts
        from cutline.topics.kafka.records import OffsetRange, as_texts, committed_records
        from cutline.topics.lines import RECORDS

        existing = self._admin().existing()
        places = [(t, number) for t in topics if t in existing for number in range(existing[t])]
        slots = [Slot(number, *place) for number, place in enumerate(places)]
        if not slots:
            return no_rows(spark, RECORDS)
        first, end = starts(self.publisher, slots), committed_ends(self.publisher, slots)
        ranges = [OffsetRange(slot, first[slot], end[slot]) for slot in slots]
        return as_texts(committed_records(spark, self.publisher, ranges))

    def _publish(
        self,
        topics: Sequence[str],
        run_id: str,
        records: DataFrame,
        order: Sequence[str],
        *,
        compacted: bool,
    ) -> dict[str, int]:
        from cutline.topics.kafka.comparing import new_records
        from cutline.topics.kafka.publishing import publish_records

        assert run_id == self.publisher.run_id
        prepared = self._prepare(records.sparkSession, topics, compacted=compacted)
        with new_records(records, prepared.standing, self.settings, compacted=compacted) as new:
            for row in new.counts:
                _LOG.info("compared with what stands there", extra={"run": run_id, **row._asdict()})
            published = publish_records(
                self.publisher, self.settings, prepared, topics, new.records, order
            )
        self._refuse_other_partitions(topics)
        self.remember([new.with_counts(partition) for partition in published])
        return _counted(topics, published)

    def _prepare(
        self, spark: SparkSession, topics: Sequence[str], *, compacted: bool
    ) -> PreparedTopics:
        """The topics made or checked, claimed, and entered into the ledger: once per object."""
        from cutline.topics.kafka.comparing import look_up
        from cutline.topics.kafka.prepared import prepared_topics

        key = tuple(sorted(topics))
        if key not in self._prepared:
            self._ensure(topics, compacted=compacted)
            self._refuse_unknown_limits()
            self.lake.check_lease()
            slots = slots_of(topics, self.settings.partitions)
            find = look_up(self.publisher.region, compacted=compacted)
            ids = None if compacted else self.ids(topics)
            prepared = prepared_topics(
                spark, self.publisher, slots, self.lake, find, ids, self.earlier
            )
            run_id, bases = self.publisher.run_id, prepared.bases
            self.remember(
                [PublishedPartition(run_id, s.topic, s.partition, bases[s.number]) for s in slots]
            )
            self._prepared[key] = prepared
        return self._prepared[key]

    def _refuse_unknown_limits(self) -> None:
        from cutline.topics.kafka.live_load import refuse_unknown

        throttle = self.settings.throttle
        if throttle.watches:
            existing = self._admin().existing()
            refuse_unknown(self.publisher.settings, throttle.lag, throttle.latency, existing)

    def _ensure(self, topics: Sequence[str], *, compacted: bool) -> None:
        for topic in self._admin().ensure(self._plans(topics, compacted=compacted)):
            _LOG.info("topic made", extra={"run": self.publisher.run_id, "topic": topic})

    def ids(self, topics: Sequence[str]) -> dict[str, str]:
        """The id of each topic, which are all there: another one where it was made anew."""
        return self._admin().ids(topics)

    def refuse_unlike(self, topics: Sequence[str], *, compacted: bool) -> list[str]:
        """Those of the topics that are there. ConfigurationError for one that is not as it must be,
        or is missing and may not be made; nothing is made."""
        admin, plans = self._admin(), self._plans(topics, compacted=compacted)
        existing = admin.existing()
        admin.check([plan for plan in plans if plan.name in existing], existing)
        admin.refuse_missing([plan for plan in plans if plan.name not in existing])
        return [topic for topic in topics if topic in existing]

    def _plans(self, topics: Sequence[str], *, compacted: bool) -> list[TopicPlan]:
        """How topics, and that of progress, must be."""
        publisher, settings = self.publisher, COMPACTED if compacted else APPENDED
        plans = [TopicPlan(topic, self.settings.partitions, settings) for topic in topics]
        progress = TopicPlan(publisher.progress_topic, publisher.progress_partitions, COMPACTED)
        return [*plans, progress]

    def _refuse_other_partitions(self, topics: Sequence[str]) -> None:
        existing = self._admin().existing()
        for topic in topics:
            if existing.get(topic) != self.settings.partitions:
                raise RunFailed(
                    f"topic {topic} in Kafka at {self.publisher.bootstrap} has "
                    f"{existing.get(topic, 0)} partitions now, and had {self.settings.partitions} "
                    "when the run began to send",
                    left_behind="The records stay on the topic; the publication is not called "
                    "done.",
                    next_step="Keys have changed their partition: choose another `topics.prefix` "
                    "and publish anew, or make the topic again with as many as before.",
                )

    def _admin(self) -> TopicAdmin:
        return TopicAdmin(self.publisher, self.settings.replication, create=self.settings.create)


def _counted(topics: Sequence[str], published: Sequence[PublishedPartition]) -> dict[str, int]:
    by_topic = dict.fromkeys(topics, 0)
    for partition in published:
        by_topic[partition.topic] += partition.records or 0
    return by_topic


def _with_keys(records: DataFrame) -> DataFrame:
    from pyspark.sql import functions as F

    no_key = F.raise_error(F.lit("a compacted topic needs a key in each record"))
    return records.withColumn("key", F.coalesce(F.col("key"), no_key.cast("string")))
