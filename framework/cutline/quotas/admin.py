"""Client quotas of a cluster, looked up and changed: the one module that knows kafka-python.

Of it the connection manager and the messages of the protocol are used, by their public names: its
admin client has no method for client quotas.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Self, TypeVar

from kafka.errors import (
    AuthorizationError,
    KafkaError,
    NodeNotReadyError,
    RetriableError,
    UnsupportedVersionError,
    for_code,
)
from kafka.net.manager import KafkaConnectionManager
from kafka.net.selector import NetworkSelector
from kafka.protocol.admin.client_quotas import AlterClientQuotasRequest, DescribeClientQuotasRequest

from cutline.errors import ConfigurationError, CutlineError, RunFailed
from cutline.kafka import ClientSettings
from cutline.quotas.entity import RATES, QuotaEntity
from cutline.quotas.library import library_settings

_EXACT = 0
"""The match of a filter that names what it looks for."""
_FIRST_ANSWER_MS = 15_000
_REQUEST_MS = 15_000
_WITHIN = 30.0
_LOOK = 0.05
_T = TypeVar("_T")


class QuotaAdmin:
    """A connection to a cluster, for the `with` block. `key` is in cutline.yaml, for errors.

    Each method raises ConfigurationError for a right that is missing and for brokers that are too
    old, and RunFailed where the cluster does not answer. `left_behind` is what its errors say of
    what is there then.
    """

    def __init__(self, settings: ClientSettings, key: str, left_behind: str) -> None:
        self._key, self._bootstrap = key, settings.bootstrap
        self._left_behind = left_behind
        limits = {"request_timeout_ms": _REQUEST_MS, "reconnect_backoff_max_ms": 1_000}
        values = {**library_settings(settings, key), **limits}
        self._loop = NetworkSelector(**values)
        self._manager = KafkaConnectionManager(self._loop, **values)

    def __enter__(self) -> Self:
        try:
            self._reached(lambda: self._manager.bootstrap(_FIRST_ANSWER_MS))
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End its connections."""
        self._manager.close()
        self._loop.close()

    def rates(self, entity: QuotaEntity) -> dict[str, float]:
        """The rates that an entity has by itself on any broker, in bytes a second by Kafka's name;
        none where it has no quota of its own. Other rates than Cutline's are left out."""
        rates: dict[str, float] = {}
        for broker in self._brokers():
            rates |= self._reached(lambda broker=broker: self._rates(entity, broker))  # type: ignore[misc]
        return rates

    def change(self, entity: QuotaEntity, rates: Mapping[str, int | None]) -> None:
        """Set rates of an entity, or remove those that are null. Brokers follow within moments."""
        entry = AlterClientQuotasRequest.EntryData
        named = [
            entry.EntityData(entity_type=kind, entity_name=name) for kind, name in _parts(entity)
        ]
        changes = [
            entry.OpData(key=name, value=float(rate or 0), remove=rate is None)
            for name, rate in rates.items()
        ]

        def alter() -> None:
            request = AlterClientQuotasRequest(
                entries=[entry(entity=named, ops=changes)], validate_only=False
            )
            for altered in self._send(request, None).entries:
                _raise_error(altered.error_code, altered.error_message)

        self._reached(alter)

    def wait(self, entity: QuotaEntity, rates: Mapping[str, int | None]) -> None:
        """Return when each broker has these rates of an entity, and has not those that are null."""
        until = time.monotonic() + _WITHIN
        waiting = self._brokers()
        while waiting:
            waiting = [broker for broker in waiting if not self._has(entity, rates, broker)]
            if not waiting:
                return
            if time.monotonic() > until:
                brokers = ", ".join(map(str, waiting))
                raise self._unanswered(
                    f"broker {brokers} has not followed a change of the quota of {entity} within "
                    f"{_WITHIN:.0f} s"
                )
            time.sleep(_LOOK)

    def _has(self, entity: QuotaEntity, rates: Mapping[str, int | None], broker: int) -> bool:
        def look() -> bool:
            try:
                standing = self._rates(entity, broker)
            except RetriableError:
                return False
            return all(standing.get(name) == rate for name, rate in rates.items())

        return self._reached(look)

    def _brokers(self) -> Sequence[int]:
        return [broker.node_id for broker in self._manager.cluster.brokers()]

    def _rates(self, entity: QuotaEntity, broker: int) -> dict[str, float]:
        component = DescribeClientQuotasRequest.ComponentData
        request = DescribeClientQuotasRequest(
            components=[
                component(entity_type=kind, match_type=_EXACT, match=name)
                for kind, name in _parts(entity)
            ],
            strict=True,
        )
        described = self._send(request, broker)
        _raise_error(described.error_code, described.error_message)
        values = [value for entry in described.entries or () for value in entry.values]
        return {value.key: value.value for value in values if value.key in RATES}

    def _send(self, request: Any, broker: int | None) -> Any:
        """The answer of a broker, of any where none is named."""
        until = time.monotonic() + _REQUEST_MS / 1000
        while True:
            try:
                return self._manager.run(self._manager.send, request, broker)
            except NodeNotReadyError:
                # A connection that ended is not opened again at once.
                if time.monotonic() > until:
                    raise
                time.sleep(_LOOK)

    def _reached(self, work: Callable[[], _T]) -> _T:
        try:
            return work()
        except (KafkaError, OSError) as error:
            raise self._failure(error) from error

    def _failure(self, error: Exception) -> CutlineError:
        text = " ".join(str(error).split())
        if isinstance(error, AuthorizationError):
            return ConfigurationError(
                f"{self._key}: Kafka at {self._bootstrap} grants no right to client quotas: {text}",
                left_behind=self._left_behind,
                next_step="Grant AlterConfigs and DescribeConfigs on the cluster (kafka-acls "
                "--cluster --operation AlterConfigs --operation DescribeConfigs), or leave "
                f"{self._key} out.",
            )
        if isinstance(error, UnsupportedVersionError):
            return ConfigurationError(
                f"{self._key}: Kafka at {self._bootstrap} is too old to be asked for client "
                f"quotas, which came with 2.6: {text}",
                left_behind=self._left_behind,
                next_step=f"Leave {self._key} out, and have whoever administers the cluster set "
                "the quota by kafka-configs.",
            )
        return self._unanswered(text or type(error).__name__)

    def _unanswered(self, reason: str) -> RunFailed:
        return RunFailed(
            f"{self._key}: Kafka at {self._bootstrap} does not answer, asked for client quotas: "
            f"{reason}",
            left_behind=self._left_behind,
            next_step="See that its brokers run, and run the same command again.",
        )


def _parts(entity: QuotaEntity) -> list[tuple[str, str]]:
    parts = [("client-id", entity.client_id)]
    return parts if entity.user is None else [("user", entity.user), *parts]


def _raise_error(code: int, message: str | None) -> None:
    if code:
        raise for_code(code)(message or "")
