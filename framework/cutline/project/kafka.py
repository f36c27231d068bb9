"""How a Kafka cluster is reached: by the readers of topics and by those who publish."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, SecretStr, model_validator

from cutline.project.base import Section
from cutline.project.moment import Moment
from cutline.project.names import Slug

Mechanism = Literal["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "GSSAPI", "OAUTHBEARER"]

OWN_SETTINGS = frozenset(
    {
        *("bootstrap.servers", "metadata.broker.list", "security.protocol", "builtin.features"),
        *("group.id", "group.instance.id", "group.protocol", "enable.auto.commit", "debug"),
        *("enable.auto.offset.store", "enable.partition.eof", "auto.offset.reset", "log_level"),
        *("isolation.level", "fetch.queue.backoff.ms", "check.crcs", "plugin.library.paths"),
        *("transactional.id", "transaction.timeout.ms", "enable.idempotence", "acks"),
        *("request.required.acks", "partitioner", "max.in.flight.requests.per.connection"),
        *("max.in.flight", "retries", "message.send.max.retries", "enable.gapless.guarantee"),
        *("delivery.timeout.ms", "message.timeout.ms", "delivery.report.only.error"),
    }
)
"""Settings of the client on which it depends that nothing is lost or doubled."""

SAID_BY_SECURITY = frozenset(
    {
        *("sasl.mechanism", "sasl.mechanisms", "sasl.username", "sasl.password"),
        *("sasl.kerberos.service.name", "ssl.ca.location", "ssl.certificate.location"),
        *("ssl.key.location", "ssl.key.password", "enable.sasl.oauthbearer.unsecure.jwt"),
    }
)
"""Settings of the client that `security` says, or that nobody should say."""

_UNSAYABLE_SUFFIXES = ("_cb", ".pem", ".callback", ".password", ".secret")


class KafkaSecurity(Section):
    """How a cluster is talked to, and who one is there."""

    protocol: Literal["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"] = "PLAINTEXT"
    """As the listener of the brokers has it."""
    mechanism: Mechanism | None = None
    """How one says who one is, for the SASL protocols."""
    username: str | None = None
    """Who one is, for PLAIN and SCRAM."""
    password: SecretStr | None = None
    """Its password: `${NAME}` or `${file:PATH}`, which is looked up where a client is made."""
    ca: str | None = None
    """The file with the certificates of the authorities that are trusted. On a cluster it is on
    every worker, as all files named here."""
    certificate: str | None = None
    """The file with one's own certificate, for mutual TLS."""
    key: str | None = None
    """The file with the private key of it."""
    key_password: SecretStr | None = None
    """The password of that file, as `password`."""
    service: str | None = None
    """The name of the brokers' Kerberos service, for GSSAPI; left out, `kafka`."""
    oauth: Slug | None = None
    """For OAUTHBEARER, the entry point of the group `cutline.kafka_oauth` that gives tokens."""

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        sasl = self.protocol.startswith("SASL")
        if sasl and self.mechanism is None:
            raise ValueError(f"protocol {self.protocol} needs a mechanism")
        if not sasl and self.mechanism is not None:
            raise ValueError(f"mechanism is for the SASL protocols, not for {self.protocol}")
        with_password = self.mechanism in ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")
        if with_password and (self.username is None or self.password is None):
            raise ValueError(f"mechanism {self.mechanism} needs username and password")
        if not with_password and (self.username is not None or self.password is not None):
            raise ValueError("username and password are for the mechanisms PLAIN and SCRAM")
        if (self.mechanism == "OAUTHBEARER") != (self.oauth is not None):
            raise ValueError("oauth and mechanism OAUTHBEARER belong together")
        if self.service is not None and self.mechanism != "GSSAPI":
            raise ValueError("service is for the mechanism GSSAPI")
        if not self.protocol.endswith("SSL") and (self.ca or self.certificate or self.key):
            raise ValueError(f"ca, certificate and key are for TLS, not for {self.protocol}")
        if (self.certificate is None) != (self.key is None):
            raise ValueError("certificate and key belong together")
        return self


class KafkaConnection(Section):
    """A Kafka cluster, and how to reach it. Nothing of it is a part of what names a run."""

    bootstrap: str = Field(min_length=1)
    """Brokers to begin with, such as `broker-1:9092,broker-2:9092`."""
    security: KafkaSecurity = KafkaSecurity()
    """How the cluster is talked to."""
    client: dict[str, str] = Field(default_factory=dict)
    """Further settings of the client (librdkafka), such as `socket.timeout.ms`. Those that Cutline
    depends on, and those that `security` says, are refused."""

    @model_validator(mode="after")
    def _only_what_is_left_open(self) -> Self:
        for name in self.client:
            if name in OWN_SETTINGS | SAID_BY_SECURITY or name.startswith("group."):
                raise ValueError(
                    f"client: {name} is not left open: Cutline sets it itself, from `security` or "
                    "so that nothing is lost or doubled"
                )
            if name.endswith(_UNSAYABLE_SUFFIXES):
                raise ValueError(f"client: {name} cannot be said here")
        return self


class RegistrySection(Section):
    """A schema registry that answers Confluent's API."""

    url: str = Field(pattern=r"^https?://[^@]+$")
    """Where it is, such as `https://registry:8081`, without a password."""
    username: str | None = None
    """Who one is there."""
    password: SecretStr | None = None
    """Its password: `${NAME}` or `${file:PATH}`, which is looked up where a client is made."""
    ca: str | None = None
    """The file with the certificates of the authorities that are trusted."""

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if (self.username is None) != (self.password is None):
            raise ValueError("username and password belong together")
        return self


class KafkaReading(KafkaConnection):
    """A Kafka cluster that topics are read from: up to where they stand when a run starts."""

    begin: Literal["beginning"] | dict[int, int] | Moment = Field("beginning", alias="from")
    """Written `from`: where the reading begins. `beginning`; a moment, before which no record was
    written that matters; or by partition an offset, for each partition of a single topic."""
    stalled_seconds: float = Field(default=60, gt=0, le=3600)
    """How long the cluster may send nothing before the read stops with an error."""
    registry: RegistrySection | None = None
    """Where the schemas are of keys and values that are Avro; left out, all are taken for text."""
