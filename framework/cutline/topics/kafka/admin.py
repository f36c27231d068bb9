"""Topics made where they are missing, and checked where they are there."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from confluent_kafka import KafkaError, KafkaException, TopicCollection
from confluent_kafka.admin import AdminClient
from confluent_kafka.admin._config import ConfigResource
from confluent_kafka.admin._resource import ResourceType
from confluent_kafka.cimpl import NewTopic

from cutline.errors import ConfigurationError, RunFailed
from cutline.topics.kafka.failures import reason, refusal
from cutline.topics.kafka.reading import QUIET
from cutline.topics.kafka.slots import Publisher

_REQUEST = 30.0
_FIRST_ANSWER = 15.0
_LOOK = 3.0
_MADE_WITHIN = 30.0

APPENDED = {"cleanup.policy": "delete", "retention.ms": "-1", "retention.bytes": "-1"}
"""History, exceptions, breaks and what a run tells: nothing is ever removed by itself."""
COMPACTED = {"cleanup.policy": "compact"}
"""State and progress: of each key the last record stays."""


@dataclass(frozen=True)
class TopicPlan:
    """A topic as it must be. `settings` are those that matter, as Kafka names them."""

    name: str
    partitions: int
    settings: Mapping[str, str] = field(default_factory=dict)


class TopicAdmin:
    """Makes and checks the topics of a publisher.

    Each method raises ConfigurationError, naming the topic, for what is not as it must be or not
    allowed, and RunFailed where Kafka does not answer.
    """

    def __init__(self, publisher: Publisher, replication: int | None, *, create: bool) -> None:
        self._publisher, self._replication, self._create = publisher, replication, create
        self._refused: list[KafkaError] = []
        settings: dict[str, Any] = {
            **QUIET,
            **publisher.settings.with_secrets(),
            "error_cb": self._refused.append,
        }
        self._admin = AdminClient(settings)

    def existing(self) -> dict[str, int]:
        """The number of partitions of each topic that there is and may be seen."""
        until, last = time.monotonic() + _FIRST_ANSWER, ""
        while time.monotonic() < until:
            try:
                topics = self._admin.list_topics(timeout=_LOOK).topics
                return {name: len(topic.partitions) for name, topic in topics.items()}
            except KafkaException as error:
                last = reason(error)
                self._admin.poll(0)
                for refused in self._refused:
                    self._raise_refusal(refused, "the topics")
        raise RunFailed(
            f"Kafka at {self._publisher.bootstrap} does not answer: {last}",
            left_behind="Nothing was sent.",
            next_step="See that its brokers run and that `topics.kafka.bootstrap` names them; then "
            "run the same command again.",
        )

    def ensure(self, plans: Sequence[TopicPlan]) -> list[str]:
        """Make what is missing, and check what is there. The names of the topics that were made."""
        existing = self.existing()
        missing = [plan for plan in plans if plan.name not in existing]
        self.check([plan for plan in plans if plan.name in existing], existing)
        self.refuse_missing(missing)
        for plan in missing:
            self._make(plan)
        self._await([plan.name for plan in missing])
        return [plan.name for plan in missing]

    def refuse_missing(self, missing: Sequence[TopicPlan]) -> None:
        """Refuse to go on without topics that may not be made here."""
        if missing and not self._create:
            raise ConfigurationError(
                f"topic {missing[0].name} is not in Kafka at {self._publisher.bootstrap}, or may "
                "not be seen",
                left_behind="Nothing was sent.",
                next_step=f"Make it with {missing[0].partitions} partitions and "
                f"{_shown(missing[0])}, or let Cutline make it: `topics.create: missing`.",
            )

    def check(self, plans: Sequence[TopicPlan], existing: Mapping[str, int]) -> None:
        """Refuse topics that have other partitions or settings than planned."""
        for plan in plans:
            partitions = existing.get(plan.name)
            if partitions != plan.partitions:
                raise ConfigurationError(
                    f"topic {plan.name} in Kafka at {self._publisher.bootstrap} has "
                    f"{partitions or 'no'} partitions, but the project asks for {plan.partitions}",
                    left_behind="Nothing was sent.",
                    next_step="Keys would change their partition. Set `topics.partitions` to what "
                    "the topic has, or choose another `topics.prefix`.",
                )
        for plan, settings in zip(plans, self._settings(plans), strict=True):
            for name, expected in plan.settings.items():
                if settings.get(name) != expected and not _keeps_all(name, settings):
                    raise ConfigurationError(
                        f"topic {plan.name} in Kafka at {self._publisher.bootstrap} has "
                        f"{name}={settings.get(name)}, and needs {name}={expected}: "
                        f"{_WHY[name]}",
                        left_behind="Nothing was sent.",
                        next_step=f"kafka-configs --bootstrap-server {self._publisher.bootstrap} "
                        f"--alter --topic {plan.name} --add-config {name}={expected}",
                    )

    def ids(self, names: Sequence[str]) -> dict[str, str]:
        """The id that Kafka gave to each topic when it was made; every one of them is there."""
        if not names:
            return {}
        until = time.monotonic() + _MADE_WITHIN
        while True:
            futures = self._admin.describe_topics(
                TopicCollection(list(names)), request_timeout=_REQUEST
            )
            try:
                return {name: str(futures[name].result().topic_id) for name in names}
            except KafkaException as error:
                unknown = error.args[0].code() == KafkaError.UNKNOWN_TOPIC_OR_PART
                # Not each broker knows at once of a topic that was just made.
                if not unknown or time.monotonic() > until:
                    self._raise_refusal(error, names[0])
                    raise self._failed(error, names[0]) from error
                time.sleep(0.05)

    def _settings(self, plans: Sequence[TopicPlan]) -> list[dict[str, str | None]]:
        resources = [ConfigResource(ResourceType.TOPIC, plan.name) for plan in plans]
        if not resources:
            return []
        futures = self._admin.describe_configs(resources, request_timeout=_REQUEST)
        described = []
        for resource in resources:
            try:
                entries = futures[resource].result()
            except KafkaException as error:
                self._raise_refusal(error, f"topic {resource.name}")
                raise self._failed(error, resource.name) from error
            described.append({name: entry.value for name, entry in entries.items()})
        return described

    def _make(self, plan: TopicPlan) -> None:
        topic = NewTopic(
            plan.name,
            plan.partitions,
            -1 if self._replication is None else self._replication,
            config=dict(plan.settings),
        )
        future = self._admin.create_topics([topic], request_timeout=_REQUEST)[plan.name]
        try:
            future.result()
        except KafkaException as error:
            if error.args[0].code() == KafkaError.TOPIC_ALREADY_EXISTS:
                # Another process made it just now, or it may not be seen.
                return
            self._raise_refusal(error, f"topic {plan.name}")
            raise self._failed(error, plan.name) from error

    def _await(self, names: Sequence[str]) -> None:
        """Until the brokers know new topics, with a leader for each partition."""
        until = time.monotonic() + _MADE_WITHIN
        for name in names:
            while time.monotonic() < until:
                topic = self._admin.list_topics(name, timeout=_REQUEST).topics[name]
                leaders = [partition.leader for partition in topic.partitions.values()]
                if topic.error is None and leaders and min(leaders) >= 0:
                    break
                time.sleep(0.05)

    def _raise_refusal(self, error: KafkaException | KafkaError, place: str) -> None:
        failure = refusal(error, place, self._publisher.bootstrap)
        if failure is not None:
            raise ConfigurationError(
                failure.sentence, left_behind="Nothing was sent.", next_step=failure.next_step
            )

    def _failed(self, error: KafkaException, topic: str) -> RunFailed:
        return RunFailed(
            f"topic {topic} cannot be made or checked in Kafka at {self._publisher.bootstrap}: "
            f"{reason(error)}",
            left_behind="Nothing was sent.",
            next_step="Run the same command again when that is mended.",
        )


_WHY = {
    "cleanup.policy": "history keeps every record, state and progress the last one of each key",
    "retention.ms": "history must not vanish by itself",
    "retention.bytes": "history must not vanish by itself",
}


def _keeps_all(name: str, settings: Mapping[str, str | None]) -> bool:
    """Whether a setting other than the planned one removes nothing either."""
    return name.startswith("retention.") and settings.get("cleanup.policy") == "compact"


def _shown(plan: TopicPlan) -> str:
    return ", ".join(f"{name}={value}" for name, value in plan.settings.items())
