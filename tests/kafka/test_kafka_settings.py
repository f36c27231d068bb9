"""The settings of Kafka's clients: secrets travel by name, and are looked up where they are used."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from cutline.errors import ConfigurationError, RunFailed
from cutline.kafka import client_settings
from cutline.project.interpolate import interpolated
from cutline.project.kafka import KafkaConnection

SCRAM = {
    "protocol": "SASL_SSL",
    "mechanism": "SCRAM-SHA-512",
    "username": "cutline",
    "password": "${KAFKA_PASSWORD}",
    "ca": "certificates/ca.pem",
}


def connection(folder: Path, security: Mapping[str, str]) -> KafkaConnection:
    """A connection as cutline.yaml in a folder declares it."""
    document = {"kafka": {"bootstrap": "broker:9092", "security": dict(security)}}
    return KafkaConnection.model_validate(interpolated(document, folder)["kafka"])


def test_settings_are_those_of_the_client(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("KAFKA_PASSWORD", "open sesame")
    settings = client_settings(connection(tmp_path, SCRAM), tmp_path)
    assert settings.with_secrets() == {
        "bootstrap.servers": "broker:9092",
        "security.protocol": "SASL_SSL",
        "sasl.mechanism": "SCRAM-SHA-512",
        "sasl.username": "cutline",
        "sasl.password": "open sesame",
        "ssl.ca.location": str(tmp_path / "certificates/ca.pem"),
    }


def test_a_secret_travels_by_its_name(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("KAFKA_PASSWORD", "open sesame")
    settings = client_settings(connection(tmp_path, SCRAM), tmp_path)
    travelling = pickle.dumps(settings)
    assert b"sesame" not in travelling
    assert "sesame" not in repr(settings)
    monkeypatch.setenv("KAFKA_PASSWORD", "as it is on the worker")
    arrived = pickle.loads(travelling)
    assert arrived.with_secrets()["sasl.password"] == "as it is on the worker"


def test_a_secret_may_be_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "password").write_text("open sesame\n")
    settings = client_settings(
        connection(tmp_path, SCRAM | {"password": "${file:password}"}), tmp_path
    )
    assert b"sesame" not in pickle.dumps(settings)
    assert settings.with_secrets()["sasl.password"] == "open sesame"


def test_a_worker_without_the_secret_says_so(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("KAFKA_PASSWORD", "open sesame")
    settings = client_settings(connection(tmp_path, SCRAM), tmp_path)
    monkeypatch.delenv("KAFKA_PASSWORD")
    with pytest.raises(RunFailed, match="KAFKA_PASSWORD is not set") as failure:
        settings.with_secrets()
    assert "sesame" not in str(failure.value)


def test_a_password_is_never_plain(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"kafka\.security\.password: holds a password"):
        connection(tmp_path, SCRAM | {"password": "open sesame"})


def test_a_password_that_cannot_be_hidden_is_refused(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("KAFKA_PASSWORD", "abc")
    with pytest.raises(ConfigurationError, match=r"sasl\.password cannot be told from other texts"):
        client_settings(connection(tmp_path, SCRAM), tmp_path)


@pytest.mark.parametrize(
    "setting",
    [
        "group.id",
        "isolation.level",
        "sasl.password",
        "transactional.id",
        "error_cb",
        "sasl.oauthbearer.client.secret",
    ],
)
def test_what_cutline_depends_on_is_not_left_open(setting: str) -> None:
    with pytest.raises(ValueError, match=f"client: {setting} "):
        KafkaConnection.model_validate({"bootstrap": "b:1", "client": {setting: "x"}})


def test_what_is_left_open_reaches_the_client(tmp_path: Path) -> None:
    open_ended = {"bootstrap": "b:1", "client": {"socket.timeout.ms": "5000"}}
    settings = client_settings(KafkaConnection.model_validate(open_ended), tmp_path)
    assert settings.with_secrets()["socket.timeout.ms"] == "5000"


@pytest.mark.parametrize(
    ("security", "why"),
    [
        ({"protocol": "SASL_SSL"}, "needs a mechanism"),
        ({"mechanism": "PLAIN", "username": "u", "password": "p"}, "is for the SASL protocols"),
        ({"protocol": "SASL_SSL", "mechanism": "PLAIN"}, "needs username and password"),
        ({"protocol": "SASL_SSL", "mechanism": "OAUTHBEARER"}, "belong together"),
        ({"ca": "ca.pem"}, "are for TLS"),
        ({"protocol": "SSL", "certificate": "c.pem"}, "certificate and key belong together"),
    ],
)
def test_a_half_declared_security_is_refused(security: dict[str, str], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        KafkaConnection.model_validate({"bootstrap": "b:1", "security": security})


def test_tokens_come_from_an_entry_point(tmp_path: Path, monkeypatch: Any) -> None:
    oauth = {"protocol": "SASL_SSL", "mechanism": "OAUTHBEARER", "oauth": "ours"}
    settings = client_settings(connection(tmp_path, oauth), tmp_path)
    with pytest.raises(ConfigurationError, match=r"no installed package offers 'ours'"):
        settings.with_secrets()
    from importlib.metadata import EntryPoint

    entry = EntryPoint("ours", "time:time_ns", "cutline.kafka_oauth")
    monkeypatch.setattr("cutline.plugin_objects.entry_points", lambda group: [entry])
    import time

    assert settings.with_secrets()["oauth_cb"] is time.time_ns
