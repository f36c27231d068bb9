"""What a cluster tells of topics: their ids, their partitions, and offsets in them."""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Iterable
from concurrent.futures import Future
from typing import Any, TypeVar

from confluent_kafka import (
    IsolationLevel,
    KafkaError,
    KafkaException,
    TopicCollection,
    TopicPartition,
)
from confluent_kafka.admin import AdminClient
from confluent_kafka.admin._config import ConfigResource
from confluent_kafka.admin._listoffsets import ListOffsetsResultInfo, OffsetSpec
from confluent_kafka.admin._resource import ResourceType
from confluent_kafka.admin._topic import TopicDescription

from cutline.errors import CutlineError
from cutline.kafka.failures import CREDENTIALS, error_of, read_failure, unanswered
from cutline.kafka.moments import milliseconds_of, moment_of_millis
from cutline.kafka.settings import ClientSettings

QUIET: dict[str, Any] = {"log_level": 2}
"""What goes wrong comes as errors; a client would print it beside."""

_FIRST = OffsetSpec.earliest()  # type: ignore[no-untyped-call]
_LAST = OffsetSpec.latest()  # type: ignore[no-untyped-call]
_SECONDS = 30.0
_LOOK = 0.1
_Answer = TypeVar("_Answer")


class KafkaCluster:
    """A cluster that is asked about its topics. `key` is in cutline.yaml, for errors.

    Each method raises ConfigurationError for wrong credentials or missing rights, and RunFailed
    where the cluster does not answer. A topic that is not there is an error of configuration while
    a run is `starting`, and later a failure.
    """

    def __init__(self, settings: ClientSettings, key: str, *, starting: bool = False) -> None:
        self._key, self._bootstrap = key, settings.bootstrap
        self._starting = starting
        self._errors: list[KafkaError] = []
        callbacks = {**QUIET, "error_cb": self._errors.append}
        try:
            self._client = AdminClient({**settings.with_secrets(), **callbacks})
        except KafkaException as error:
            raise self._failure(error_of(error), "the cluster") from error

    def id(self) -> str:
        """The id of the cluster."""
        until = time.monotonic() + _SECONDS
        while True:
            try:
                # Short, so that wrong credentials, which only the callback tells, end the wait.
                metadata = self._client.list_topics(timeout=1.0)
                return str(metadata.cluster_id or "")
            except KafkaException as error:
                self._client.poll(_LOOK)
                self._refuse(error_of(error), "the cluster", until)

    def describe(self, topics: Iterable[str]) -> dict[str, TopicDescription]:
        """Each topic with its id and partitions."""
        names = list(topics)
        futures = self._client.describe_topics(TopicCollection(names), request_timeout=_SECONDS)
        return {name: self._answer(futures[name], f"topic {name}") for name in names}

    def first_offsets(self, places: Iterable[tuple[str, int]]) -> dict[tuple[str, int], int]:
        """The first offset that each partition still has."""
        return self._offsets(places, _FIRST, IsolationLevel.READ_UNCOMMITTED)

    def stable_ends(self, places: Iterable[tuple[str, int]]) -> dict[tuple[str, int], int]:
        """The last stable offset of each partition: all before it is committed or aborted."""
        return self._offsets(places, _LAST, IsolationLevel.READ_COMMITTED)

    def offsets_at(
        self, places: Iterable[tuple[str, int]], moment: dt.datetime
    ) -> dict[tuple[str, int], int]:
        """The first offset of each partition with a record of that moment or later: all before it
        are earlier. -1 where there is none."""
        spec = OffsetSpec.for_timestamp(milliseconds_of(moment))
        return self._offsets(places, spec, IsolationLevel.READ_UNCOMMITTED)

    def first_moments(
        self, places: Iterable[tuple[str, int]]
    ) -> dict[tuple[str, int], dt.datetime | None]:
        """The time of the first record that each partition still has, in UTC; null where it has
        none."""
        spec = OffsetSpec.for_timestamp(0)
        results = self._listed(places, spec, IsolationLevel.READ_UNCOMMITTED)
        return {
            place: None if result.offset < 0 else moment_of_millis(result.timestamp)
            for place, result in results.items()
        }

    def topic_settings(self, topics: Iterable[str]) -> dict[str, dict[str, str]]:
        """The settings of each topic, as Kafka names them."""
        resources = [ConfigResource(ResourceType.TOPIC, name) for name in topics]
        if not resources:
            return {}
        futures = self._client.describe_configs(resources, request_timeout=_SECONDS)
        return {
            resource.name: {
                name: str(entry.value)
                for name, entry in self._answer(future, f"topic {resource.name}").items()
            }
            for resource, future in futures.items()
        }

    def _offsets(
        self, places: Iterable[tuple[str, int]], spec: OffsetSpec, isolation: IsolationLevel
    ) -> dict[tuple[str, int], int]:
        listed = self._listed(places, spec, isolation)
        return {place: int(result.offset) for place, result in listed.items()}

    def _listed(
        self, places: Iterable[tuple[str, int]], spec: OffsetSpec, isolation: IsolationLevel
    ) -> dict[tuple[str, int], ListOffsetsResultInfo]:
        questions: dict[TopicPartition, OffsetSpec] = {TopicPartition(*p): spec for p in places}
        if not questions:
            return {}
        futures = self._client.list_offsets(
            questions, isolation_level=isolation, request_timeout=_SECONDS
        )
        return {
            (at.topic, at.partition): self._answer(future, f"topic {at.topic}")
            for at, future in futures.items()
        }

    def _answer(self, future: Future[_Answer], place: str) -> _Answer:
        until = time.monotonic() + _SECONDS + 5
        while not future.done():
            self._client.poll(_LOOK)
            self._refuse(None, place, until)
        try:
            return future.result()
        except KafkaException as error:
            raise self._failure(error_of(error), place) from error

    def _failure(self, error: KafkaError, place: str) -> CutlineError:
        return read_failure(error, place, self._key, self._bootstrap, starting=self._starting)

    def _refuse(self, error: KafkaError | None, place: str, until: float) -> None:
        """Raise if to wait is of no use, or has lasted too long."""
        for event in [*self._errors, *([error] if error else [])]:
            if event.code() in CREDENTIALS:
                raise self._failure(event, place)
        if time.monotonic() > until:
            reason = error.str() if error else self._last_error()
            raise unanswered(reason, place, self._key, self._bootstrap)

    def _last_error(self) -> str:
        return self._errors[-1].str() if self._errors else f"no answer within {_SECONDS:.0f} s"
