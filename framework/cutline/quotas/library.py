"""How a cluster is reached, in the words of kafka-python."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cutline.errors import ConfigurationError
from cutline.kafka import ClientSettings

_CLIENT_ID = "cutline-quotas"
_TRANSLATED = {
    "security.protocol": "security_protocol",
    "sasl.mechanism": "sasl_mechanism",
    "sasl.username": "sasl_plain_username",
    "sasl.password": "sasl_plain_password",
    "ssl.ca.location": "ssl_cafile",
    "ssl.certificate.location": "ssl_certfile",
    "ssl.key.location": "ssl_keyfile",
    "ssl.key.password": "ssl_password",
    "ssl.crl.location": "ssl_crlfile",
}
"""By librdkafka's name of a setting kafka-python's."""
_ENDPOINT = "ssl.endpoint.identification.algorithm"
_DEFAULTS = {"enable.ssl.certificate.verification": "true"}
"""Settings that say what kafka-python does anyway."""
_MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")
_SECURITY = ("ssl.", "sasl.", "enable.ssl.", "enable.sasl.", "https.")


def library_settings(settings: ClientSettings, key: str) -> dict[str, Any]:
    """The settings of a client of kafka-python that reaches the same cluster as the same user.

    Settings of librdkafka that say nothing of how a cluster is trusted are its own. `key` is in
    cutline.yaml. ConfigurationError, naming it, for a mechanism or a setting of security that the
    library does not have; RunFailed where a secret is not to be had.
    """
    refuse_unknown(settings, key)
    values = settings.with_secrets()
    return {
        "bootstrap_servers": values["bootstrap.servers"].split(","),
        "client_id": _CLIENT_ID,
        "ssl_check_hostname": _checks_host(values),
        **{theirs: values[name] for name, theirs in _TRANSLATED.items() if name in values},
    }


def refuse_unknown(settings: ClientSettings, key: str) -> None:
    """ConfigurationError, naming it, for a mechanism or a setting of security that kafka-python
    does not have; no secret is looked up."""
    plain = settings.plain
    mechanism = plain.get("sasl.mechanism")
    if mechanism is not None and mechanism not in _MECHANISMS:
        raise _refused(
            key, f"mechanism {mechanism}: it signs in by {', '.join(_MECHANISMS)}, or with TLS"
        )
    for name in sorted(plain.keys() - _TRANSLATED.keys() - {_ENDPOINT}):
        if name.startswith(_SECURITY) and plain[name] != _DEFAULTS.get(name):
            raise _refused(key, f"`client` with {name}")


def _checks_host(values: Mapping[str, Any]) -> bool:
    return bool(values.get(_ENDPOINT, "https") != "none")


def _refused(key: str, lacking: str) -> ConfigurationError:
    return ConfigurationError(
        f"{key}: client quotas are set by kafka-python, which has no {lacking}",
        left_behind="Nothing was sent, and no quota was set.",
        next_step=f"Leave {key} out, and have whoever administers the cluster set the quota by "
        "kafka-configs.",
    )
