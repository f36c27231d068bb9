"""What Kafka refuses, as a sentence that names the topic and says what to do."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from confluent_kafka import KafkaError, KafkaException

from cutline.errors import ConfigurationError, CutlineError, RunFailed, SliceBusy

CONFIGURATION, AGAIN, BUSY = "configuration", "again", "busy"
_ERRORS: dict[str, type[CutlineError]] = {
    CONFIGURATION: ConfigurationError,
    AGAIN: RunFailed,
    BUSY: SliceBusy,
}
_LEFT_BEHIND = "What was committed before stays on the topics; the same run goes on behind it."


@dataclass(frozen=True)
class Failure:
    """Why a publication stopped. It travels from Spark's tasks as text."""

    kind: str
    sentence: str
    next_step: str

    def text(self) -> str:
        """As `read` takes it."""
        return json.dumps(asdict(self))

    @classmethod
    def read(cls, text: str) -> Failure:
        """What `text` gave."""
        return cls(**json.loads(text))

    def error(self) -> CutlineError:
        """The error to raise where somebody waits for the work."""
        return _ERRORS[self.kind](self.sentence, left_behind=_LEFT_BEHIND, next_step=self.next_step)


class PublishingStopped(Exception):
    """A task cannot go on, and trying again is of no use."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.sentence)
        self.failure = failure


_SAY_AGAIN = "Then run the same command again."


def refusal(error: KafkaException | KafkaError, place: str, bootstrap: str) -> Failure | None:
    """Why it is of no use to try again; null where it may be. `place` is what was used."""
    kafka_error = error if isinstance(error, KafkaError) else error.args[0]
    code = kafka_error.code()
    if code in _CREDENTIALS:
        return Failure(
            CONFIGURATION,
            f"Kafka at {bootstrap} does not accept the credentials: {kafka_error.str()}",
            f"Mend the security settings of `topics.kafka` in cutline.yaml. {_SAY_AGAIN}",
        )
    if code in _NO_RIGHTS:
        right, next_step = _NO_RIGHTS[code]
        return Failure(
            CONFIGURATION, f"Kafka at {bootstrap} grants no {right}, for {place}", next_step
        )
    if code in _UNKNOWN:
        return Failure(
            AGAIN,
            f"{place} is not there (any more) in Kafka at {bootstrap}",
            f"Make it again, or let Cutline make it: `topics.create: missing`. {_SAY_AGAIN}",
        )
    if code in _REFUSED:
        return Failure(
            CONFIGURATION,
            f"Kafka at {bootstrap} refuses {_REFUSED[code]} for {place}: {kafka_error.str()}",
            _NEXT_OF_REFUSED[code],
        )
    return None


def unanswered(error: Exception, place: str, bootstrap: str, seconds: float) -> Failure:
    """Nothing succeeded for so long: the broker is gone, or does not answer."""
    return Failure(
        AGAIN,
        f"Kafka at {bootstrap} did not take what was sent to {place} within {seconds:.0f} s: "
        f"{reason(error)}",
        "See that its brokers run and that `topics.kafka.bootstrap` names them. " + _SAY_AGAIN,
    )


def reason(error: Exception) -> str:
    """What a client says went wrong, in one line."""
    kafka_error = error.args[0] if isinstance(error, KafkaException) and error.args else error
    text = kafka_error.str() if isinstance(kafka_error, KafkaError) else str(kafka_error)
    return " ".join(text.split())


_CREDENTIALS = {
    KafkaError._AUTHENTICATION,
    KafkaError.SASL_AUTHENTICATION_FAILED,
    KafkaError.UNSUPPORTED_SASL_MECHANISM,
    KafkaError.ILLEGAL_SASL_STATE,
    KafkaError._SSL,
}
_NO_RIGHTS = {
    KafkaError.TOPIC_AUTHORIZATION_FAILED: (
        "right to use the topic",
        "Grant Read, Write, Describe and DescribeConfigs on the project's topics (those that begin "
        f"with `topics.prefix`), and Create where Cutline is to make them. {_SAY_AGAIN}",
    ),
    KafkaError.TRANSACTIONAL_ID_AUTHORIZATION_FAILED: (
        "right to use the transactional id",
        "Grant Write and Describe on transactional ids that begin with `topics.prefix`. "
        + _SAY_AGAIN,
    ),
    KafkaError.CLUSTER_AUTHORIZATION_FAILED: (
        "right on the cluster that is needed",
        f"Grant IdempotentWrite, and Create where Cutline is to make topics. {_SAY_AGAIN}",
    ),
    KafkaError.GROUP_AUTHORIZATION_FAILED: (
        "right to describe the consumer group",
        f"Grant Describe on the group that `topics.throttle` names. {_SAY_AGAIN}",
    ),
}
_UNKNOWN = {
    KafkaError.UNKNOWN_TOPIC_OR_PART,
    KafkaError._UNKNOWN_TOPIC,
    KafkaError._UNKNOWN_PARTITION,
}
_REFUSED = {
    KafkaError.MSG_SIZE_TOO_LARGE: "a record as too large",
    KafkaError.RECORD_LIST_TOO_LARGE: "a batch of records as too large",
    KafkaError.INVALID_RECORD: "a record",
    KafkaError.INVALID_TIMESTAMP: "the time of a record",
    KafkaError.POLICY_VIOLATION: "what is against its policy",
    KafkaError.INVALID_TRANSACTION_TIMEOUT: "the time-out of transactions",
    KafkaError.INVALID_REPLICATION_FACTOR: "the replication",
    KafkaError.INVALID_PARTITIONS: "the number of partitions",
    KafkaError.INVALID_CONFIG: "a setting",
}
_NEXT_OF_REFUSED = {
    KafkaError.MSG_SIZE_TOO_LARGE: "Raise `max.message.bytes` of the topic, and "
    "`topics.kafka.client` with `message.max.bytes` to as much, or shorten what the event says.",
    KafkaError.RECORD_LIST_TOO_LARGE: "Raise `max.message.bytes` of the topic.",
    KafkaError.INVALID_RECORD: "See the topic's settings: a compacted one needs keys.",
    KafkaError.INVALID_TIMESTAMP: "Raise `message.timestamp.before.max.ms` of the topic.",
    KafkaError.POLICY_VIOLATION: "Make the topic as the cluster's policy asks, beforehand.",
    KafkaError.INVALID_TRANSACTION_TIMEOUT: "Raise the brokers' transaction.max.timeout.ms to a "
    "minute.",
    KafkaError.INVALID_REPLICATION_FACTOR: "Set `topics.replication` to what the cluster's brokers "
    "allow.",
    KafkaError.INVALID_PARTITIONS: "Set `topics.partitions` to what the cluster allows.",
    KafkaError.INVALID_CONFIG: "Make the topic beforehand, with the settings that the cluster "
    "allows.",
}
