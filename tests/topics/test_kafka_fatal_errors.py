"""What the client says when it does nothing any more, where Python keeps its exception from coming."""

from __future__ import annotations

import pytest
from confluent_kafka import KafkaError, KafkaException

from cutline.kafka import ClientSettings
from cutline.topics.kafka import producing
from cutline.topics.kafka.producing import TransactionalProducer

FENCED = KafkaException(KafkaError(KafkaError._FENCED, "fenced by a newer instance", fatal=True))


class Client:
    """A client whose `flush` comes back without a word, as it does when a report of a delivery was
    called while its exception was on the way."""

    def __init__(self, cause: Exception | None, refuses: KafkaException | None) -> None:
        self.cause, self.refuses = cause, refuses

    def init_transactions(self, _: float) -> None: ...

    def begin_transaction(self) -> None:
        if self.refuses is not None:
            raise self.refuses

    def flush(self, _: float) -> int:
        raise SystemError("flush returned NULL without setting an exception") from self.cause


def flush(monkeypatch: pytest.MonkeyPatch, client: Client) -> None:
    monkeypatch.setattr(producing, "Producer", lambda _: client)
    TransactionalProducer(ClientSettings({"bootstrap.servers": "nowhere:1"}), "id", 1.0).flush()


@pytest.mark.parametrize("client", [Client(FENCED, None), Client(None, FENCED)])
def test_a_fatal_error_is_raised_as_itself(monkeypatch: pytest.MonkeyPatch, client: Client) -> None:
    with pytest.raises(KafkaException, match="fenced by a newer instance"):
        flush(monkeypatch, client)


@pytest.mark.parametrize(
    "refuses", [None, KafkaException(KafkaError(KafkaError._STATE, "one is open"))]
)
def test_another_error_of_the_client_is_not_called_fatal(
    monkeypatch: pytest.MonkeyPatch, refuses: KafkaException | None
) -> None:
    with pytest.raises(SystemError, match="returned NULL"):
        flush(monkeypatch, Client(None, refuses))
