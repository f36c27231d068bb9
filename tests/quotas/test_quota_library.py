"""How a cluster is reached in the words of kafka-python: all of the security, or refused by name."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cutline.errors import ConfigurationError
from cutline.kafka import ClientSettings
from cutline.quotas.installed import refuse_without_extra
from cutline.quotas.library import library_settings

BASE = {"bootstrap.servers": "b-1:9092,b-2:9092", "security.protocol": "SASL_SSL"}
SECURITY_SETTINGS = {
    "sasl.mechanism": ("SCRAM-SHA-512", "sasl_mechanism"),
    "sasl.username": ("cutline", "sasl_plain_username"),
    "ssl.ca.location": ("/ca.pem", "ssl_cafile"),
    "ssl.certificate.location": ("/one.pem", "ssl_certfile"),
    "ssl.key.location": ("/one.key", "ssl_keyfile"),
    "ssl.crl.location": ("/crl.pem", "ssl_crlfile"),
}


def test_secrets_are_looked_up_when_a_client_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PW_OF_TEST", "correct-horse")
    secrets = {"sasl.password": "${PW_OF_TEST}", "ssl.key.password": "${PW_OF_TEST}"}
    settings = ClientSettings(
        {**BASE, **{n: v for n, (v, _) in SECURITY_SETTINGS.items()}}, secrets
    )
    assert library_settings(settings, "topics.quotas") == {
        "bootstrap_servers": ["b-1:9092", "b-2:9092"],
        "client_id": "cutline-quotas",
        "security_protocol": "SASL_SSL",
        "sasl_plain_password": "correct-horse",
        "ssl_password": "correct-horse",
        "ssl_check_hostname": True,
        **{theirs: value for value, theirs in SECURITY_SETTINGS.values()},
    }


@pytest.mark.parametrize(
    ("client", "checks"),
    [
        ({}, True),
        ({"ssl.endpoint.identification.algorithm": "https"}, True),
        ({"ssl.endpoint.identification.algorithm": "none"}, False),
    ],
)
def test_whether_the_name_of_the_host_is_checked(client: dict[str, str], checks: bool) -> None:
    translated = library_settings(ClientSettings({**BASE, **client}), "topics.quotas")
    assert translated["ssl_check_hostname"] is checks


@pytest.mark.parametrize("mechanism", ["GSSAPI", "OAUTHBEARER"])
def test_mechanisms_that_need_a_plugin_are_refused_by_name(mechanism: str) -> None:
    settings = ClientSettings({**BASE, "sasl.mechanism": mechanism}, oauth="tokens")
    with pytest.raises(ConfigurationError, match=f"has no mechanism {mechanism}") as refused:
        library_settings(settings, "topics.quotas")
    assert "kafka-configs" in refused.value.next_step


NAMES = st.sampled_from(["ssl.", "sasl.", "enable.ssl.", "enable.sasl.", "https."]).flatmap(
    lambda prefix: st.text("abcdefghij.", min_size=1, max_size=12).map(prefix.__add__)
) | st.sampled_from(
    [*SECURITY_SETTINGS, "enable.ssl.certificate.verification", "ssl.cipher.suites"]
)


@given(st.dictionaries(NAMES, st.sampled_from(["true", "false", "PLAIN"]), max_size=4))
def test_no_setting_of_security_is_passed_over(client: dict[str, str]) -> None:
    if client.get("sasl.mechanism") not in (None, "PLAIN"):
        client["sasl.mechanism"] = "PLAIN"
    settings = ClientSettings({**BASE, **client})
    harmless = {("enable.ssl.certificate.verification", "true")}
    unknown = {
        n for n, v in client.items() if n not in SECURITY_SETTINGS and (n, v) not in harmless
    }
    if unknown:
        with pytest.raises(ConfigurationError) as refused:
            library_settings(settings, "topics.quotas")
        assert any(name in refused.value.what for name in unknown)
    else:
        translated = library_settings(settings, "topics.quotas")
        for name in client.keys() & SECURITY_SETTINGS.keys():
            assert translated[SECURITY_SETTINGS[name][1]] == client[name]


def test_settings_of_speed_are_librdkafkas_own() -> None:
    fast: dict[str, Any] = {"linger.ms": "5", "socket.timeout.ms": "1000", "client.id": "x"}
    assert library_settings(ClientSettings({**BASE, **fast}), "topics.quotas") == library_settings(
        ClientSettings(BASE), "topics.quotas"
    )


def test_without_the_library_it_is_said_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    refuse_without_extra("topics.quotas")
    for module in [m for m in sys.modules if m.split(".")[0] == "kafka"]:
        monkeypatch.delitem(sys.modules, module)
    # What Python does where a module may not be imported.
    monkeypatch.setitem(sys.modules, "kafka", None)
    with pytest.raises(ConfigurationError, match="client quotas need kafka-python") as refused:
        refuse_without_extra("topics.quotas")
    assert "pip install 'cutline[quotas]'" in refused.value.next_step
    assert refused.value.exit_code == 2
