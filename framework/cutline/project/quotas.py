"""Client quotas of Kafka: how fast brokers let Cutline's clients produce and consume."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from cutline.project.base import Section
from cutline.project.kafka import KafkaConnection

LEAST_CONSUMED = 131_072
"""The least `consumer_byte_rate`, in bytes a second. A broker hands out no batch of records that is
larger than what the quota allows in ten seconds, and would withhold it for ever: with this it hands
out the largest that a topic takes unless it was set otherwise, of 1 MiB."""


class ConsumerQuota(Section):
    """What each broker lets the clients of a job read. Nothing of it names a run or a replay."""

    consumer_byte_rate: int = Field(ge=LEAST_CONSUMED)
    """The most bytes a second that they get from one broker."""
    user: str | None = Field(default=None, min_length=1)
    """Who one is to the brokers where `security` has no `username`, such as the name in a
    certificate. Left out there, the quota is of the client id whoever its user is."""


class ClientQuotas(Section):
    """What each broker lets the clients of a job write and read: kept by the broker, whatever the
    job does."""

    producer_byte_rate: int | None = Field(default=None, ge=1)
    """The most bytes a second that they send to one broker; left out, any number."""
    consumer_byte_rate: int | None = Field(default=None, ge=LEAST_CONSUMED)
    """The most bytes a second that they get from one broker; left out, any number."""
    user: str | None = Field(default=None, min_length=1)
    """Who one is to the brokers where `security` has no `username`, such as the name in a
    certificate. Left out there, the quota is of the client id whoever its user is."""

    @model_validator(mode="after")
    def _limits_something(self) -> Self:
        if self.producer_byte_rate is None and self.consumer_byte_rate is None:
            raise ValueError("needs producer_byte_rate or consumer_byte_rate, or both")
        return self


def refuse_two_names(connection: KafkaConnection, user: str | None) -> None:
    """ValueError where the clients that a quota is of would have two names: the `user` of the quota
    beside that of `security`, or a client id of `client` beside the job's own."""
    if user is not None and connection.security.username is not None:
        raise ValueError("quotas.user: security.username says who one is: leave it out")
    if "client.id" in connection.client:
        raise ValueError(
            "client: client.id cannot be said beside quotas: each job has a client id of its own"
        )
