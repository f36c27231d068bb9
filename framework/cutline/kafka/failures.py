"""What goes wrong between a client and its cluster, as a sentence that says what to do."""

from __future__ import annotations

from confluent_kafka import KafkaError, KafkaException

from cutline.errors import ConfigurationError, CutlineError, RunFailed

NOTHING = "Nothing was written."

CREDENTIALS = frozenset(
    {
        KafkaError._AUTHENTICATION,
        KafkaError.SASL_AUTHENTICATION_FAILED,
        KafkaError.UNSUPPORTED_SASL_MECHANISM,
        KafkaError.ILLEGAL_SASL_STATE,
        KafkaError._SSL,
    }
)
"""Errors of who one is: to try again is of no use."""
NO_RIGHTS = frozenset(
    {KafkaError.TOPIC_AUTHORIZATION_FAILED, KafkaError.CLUSTER_AUTHORIZATION_FAILED}
)
MISSING = frozenset(
    {
        KafkaError.UNKNOWN_TOPIC_OR_PART,
        KafkaError.UNKNOWN_TOPIC_ID,
        KafkaError._UNKNOWN_TOPIC,
        KafkaError._UNKNOWN_PARTITION,
    }
)
"""Errors of a topic or a partition that is not there."""
LOST = frozenset({KafkaError.OFFSET_OUT_OF_RANGE, KafkaError._AUTO_OFFSET_RESET})
"""Errors of an offset that is no longer there."""


LOST_RECORDS = (
    "They are lost to this run. Have the connector write a new snapshot into the topic, or take a "
    "new extract, and raise the topic's retention above the time between two runs; to go on with "
    "what is there, say so by `from` with the offsets that it begins at."
)
"""What to do where retention was faster than the reader."""


def error_of(exception: KafkaException | KafkaError) -> KafkaError:
    """The error that an exception of the client carries."""
    return exception if isinstance(exception, KafkaError) else exception.args[0]


def is_final(error: KafkaError) -> bool:
    """Whether it is of no use to try again."""
    return error.code() in CREDENTIALS | NO_RIGHTS | MISSING | LOST


def read_failure(
    error: KafkaError, place: str, key: str, bootstrap: str, *, starting: bool = False
) -> CutlineError:
    """Why `place` (a topic, or one of its partitions) cannot be read. `key` is in cutline.yaml.

    What is missing when a run is `starting` is an error of configuration, later a failure.
    """
    code, text = error.code(), " ".join(error.str().split())
    if code in CREDENTIALS:
        return ConfigurationError(
            f"{key}: Kafka at {bootstrap} does not accept the credentials: {text}",
            left_behind=NOTHING,
            next_step=f"Mend `security` of {key} in cutline.yaml, and run the same command again.",
        )
    if code in NO_RIGHTS:
        return ConfigurationError(
            f"{key}: Kafka at {bootstrap} grants no right to read {place}: {text}",
            left_behind=NOTHING,
            next_step="Grant Read and Describe on it, and run the same command again.",
        )
    if code in MISSING:
        is_missing = f"{key}: {place} is not there in Kafka at {bootstrap}"
        if starting:
            return ConfigurationError(
                is_missing,
                left_behind=NOTHING,
                next_step="Mend its name in cutline.yaml, or have the connector write to it first.",
            )
        return RunFailed(
            f"{is_missing} any more",
            left_behind=NOTHING,
            next_step="Find out who deleted it. Its records are lost to this run: a new one begins "
            "with what is there then.",
        )
    return unanswered(text, place, key, bootstrap)


def lost_records(
    topic: str,
    partition: int,
    start: int,
    first: int,
    key: str,
    error: type[CutlineError],
) -> CutlineError:
    """Retention removed what was to be read, from `start` to before `first`."""
    return error(
        f"{key}: topic {topic}, partition {partition}: the offsets {start:,} to {first - 1:,} were "
        "to be read, and the topic's retention has removed them",
        left_behind=NOTHING,
        next_step=LOST_RECORDS,
    )


def lost_since_base(
    topic: str, partition: int, start: int, first: int, key: str
) -> ConfigurationError:
    """Retention removed what came since the run that a slice was to go on from."""
    return ConfigurationError(
        f"{key}: topic {topic}, partition {partition}: the offsets {start:,} to {first - 1:,} came "
        "since the slice's last run, and the topic's retention has removed them: the slice cannot "
        "go on from that run",
        left_behind=NOTHING,
        next_step="Raise the topic's retention above the time between two runs. Then `cutline run` "
        "begins anew: a database it reads under a new snapshot; of a connector that writes its "
        "snapshot into the topic, or of an extract, have a new one taken first.",
    )


def unanswered(reason: str, place: str, key: str, bootstrap: str) -> RunFailed:
    """Nothing came from the cluster for too long."""
    return RunFailed(
        f"{key}: Kafka at {bootstrap} does not answer, asked for {place}: {reason}",
        left_behind=NOTHING,
        next_step="See that its brokers run and that `bootstrap` names them, and run the same "
        "command again.",
    )
