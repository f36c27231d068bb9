"""The settings of a client, which may travel to Spark's workers: secrets by name, never by value.

What travels is a part of a task, and a task is a part of a plan. So a password stays what
cutline.yaml says, `${NAME}` or `${file:PATH}`, and is looked up where a client is made.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from cutline.kafka.oauth import token_callback
from cutline.kafka.secret_names import reference_of, secret_of
from cutline.project.kafka import KafkaConnection
from cutline.project.paths import anchored


@dataclass(frozen=True)
class ClientSettings:
    """How a client reaches a cluster, in librdkafka's words.

    `references` has by setting the text of cutline.yaml in place of a secret; `folder` is the
    project's, to which its files are relative. `oauth` names the entry point that gives tokens.
    """

    plain: Mapping[str, str]
    references: Mapping[str, str] = field(default_factory=dict)
    folder: str = ""
    oauth: str | None = None

    @property
    def bootstrap(self) -> str:
        """The brokers to begin with, for messages."""
        return self.plain["bootstrap.servers"]

    def named(self, client_id: str) -> ClientSettings:
        """The same for clients of a client id of their own."""
        return replace(self, plain={**self.plain, "client.id": client_id})

    def with_secrets(self) -> dict[str, Any]:
        """All settings, for a client that is made here and now.

        RunFailed, naming the variable or file, if a secret is not to be had on this machine.
        """
        settings: dict[str, Any] = dict(self.plain)
        for name, reference in self.references.items():
            settings[name] = secret_of(reference, self.folder)
        if self.oauth is not None:
            settings["oauth_cb"] = token_callback(self.oauth)
        return settings


def client_settings(connection: KafkaConnection, folder: Path) -> ClientSettings:
    """The settings of clients of a cluster; `folder` is the project's.

    ConfigurationError, naming the key, for a secret that could not be looked up by its name again.
    """
    security = connection.security
    plain = {
        "bootstrap.servers": connection.bootstrap,
        "security.protocol": security.protocol,
        **connection.client,
    }
    files = {
        "ssl.ca.location": security.ca,
        "ssl.certificate.location": security.certificate,
        "ssl.key.location": security.key,
    }
    plain |= {name: anchored(path, folder) for name, path in files.items() if path is not None}
    words = {
        "sasl.mechanism": security.mechanism,
        "sasl.username": security.username,
        "sasl.kerberos.service.name": security.service,
    }
    plain |= {name: word for name, word in words.items() if word is not None}
    secrets = {"sasl.password": security.password, "ssl.key.password": security.key_password}
    references = {
        name: reference_of(name, secret, folder)
        for name, secret in secrets.items()
        if secret is not None
    }
    return ClientSettings(plain, references, str(folder), security.oauth)
