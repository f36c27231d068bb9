"""Topics of either kind in cutline.yaml."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cutline.errors import ConfigurationError
from cutline.project.load import load
from cutline.project.topics import FileTopicsSection, KafkaTopicsSection
from support.sample_project import document, write


def topics(**section: Any) -> dict[str, Any]:
    return {**document(), "topics": section}


KAFKA = {"kind": "kafka", "prefix": "retail", "kafka": {"bootstrap": "broker:9092"}}
SIGNED_IN = {
    **{"protocol": "SASL_PLAINTEXT", "mechanism": "PLAIN", "username": "cutline"},
    "password": "${file:password}",
}


def test_files_need_not_be_said(tmp_path: Path) -> None:
    section = load(write(tmp_path, document())).file.topics
    assert isinstance(section, FileTopicsSection)
    explicit_project = load(write(tmp_path, topics(kind="files", path="topics", prefix="retail")))
    assert explicit_project.file.topics == section


def test_kafka_with_all_that_can_be_said(tmp_path: Path) -> None:
    limits = {
        "bytes_per_second": 1_000_000,
        "messages_per_second": 500,
        "lag": [{"group": "shop", "topic": "orders", "messages": 1_000}],
        "latency": [{"topic": "orders", "milliseconds": 50}],
    }
    section = load(
        write(
            tmp_path,
            topics(
                **KAFKA,
                partitions=12,
                replication=3,
                create="never",
                binding="structured",
                patience=30,
                throttle=limits,
                findings={"personal": "masked"},
            ),
        )
    ).file.topics
    assert isinstance(section, KafkaTopicsSection)
    assert section.kafka.bootstrap == "broker:9092"
    assert section.throttle.lag[0].messages == 1_000
    assert section.throttle.latency[0].milliseconds == 50


@pytest.mark.parametrize(
    ("section", "line"),
    [
        ({"kind": "kafak", "prefix": "r"}, "topics.kind: 'kafak' is none of files, kafka."),
        ({"kind": "kafka", "prefix": "r"}, "topics.kafka: is missing."),
        ({**KAFKA, "patitions": 3}, "topics.patitions: unknown key. Did you mean 'partitions'?"),
        ({"prefix": "r", "patitions": 3}, "topics.patitions: unknown key. Did you mean"),
        ({**KAFKA, "path": "topics"}, "topics.path: unknown key."),
        ({**KAFKA, "throttle": {"lag": [{"group": "g"}]}}, "topics.throttle.lag.0.topic: is miss"),
        ({**KAFKA, "replication": 0}, "topics.replication: must be greater than or equal to 1"),
        ({**KAFKA, "quotas": {}}, "topics.quotas: needs producer_byte_rate or consumer_byte_rate"),
        (
            {**KAFKA, "quotas": {"producer_byte_rate": 0}},
            "topics.quotas.producer_byte_rate: must be greater than or equal to 1",
        ),
        (
            {**KAFKA, "quotas": {"consumer_byte_rate": 50_000}},
            "topics.quotas.consumer_byte_rate: must be greater than or equal to 131072",
        ),
        (
            {"prefix": "r", "quotas": {"producer_byte_rate": 5}},
            "topics: quotas are kept by brokers: they are for topics of kind kafka",
        ),
        (
            {
                **KAFKA,
                "kafka": {"bootstrap": "b:9092", "client": {"client.id": "x"}},
                "quotas": {"producer_byte_rate": 5},
            },
            "topics: client: client.id cannot be said beside quotas",
        ),
        (
            {
                **KAFKA,
                "kafka": {"bootstrap": "b:9092", "security": SIGNED_IN},
                "quotas": {"producer_byte_rate": 5, "user": "kim"},
            },
            "topics: quotas.user: security.username says who one is",
        ),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, section: dict[str, Any], line: str) -> None:
    (tmp_path / "password").write_text("correct-horse-7")
    with pytest.raises(ConfigurationError) as refused:
        load(write(tmp_path, topics(**section)))
    assert f"cutline.yaml: {line}" in refused.value.what


@pytest.mark.parametrize(
    ("name", "says"),
    [
        (".", "must be a name that a topic of Kafka may have"),
        ("..", "must be a name that a topic of Kafka may have"),
        ("_schemas", "must be no folder that topics of files use themselves"),
        ("_appending", "must be no folder that topics of files use themselves"),
        ("a b", "must be letters, digits, -, _ and ."),
    ],
)
def test_what_can_be_no_topic_is_refused_by_its_key(tmp_path: Path, name: str, says: str) -> None:
    guard = {"topic": name, "milliseconds": 5}
    replay = {
        "source": {"topics": [name]},
        "destinations": {name: {"owner": "Order desk"}},
    }
    content = topics(**KAFKA, throttle={"latency": [guard]})
    with pytest.raises(ConfigurationError) as refused:
        load(write(tmp_path, content | {"replays": {"orders": replay}}))
    for line in (
        f"topics.throttle.latency.0.topic: {says}, not {name!r}.",
        f"replays.orders.source.topics.0: {says}, not {name!r}.",
        f"replays.orders.destinations.{name}: {says}.",
    ):
        assert f"cutline.yaml: {line}" in refused.value.what.splitlines()


def digest(folder: Path, **section: Any) -> str:
    return load(write(folder, topics(**section)), "eu-west").digest


def test_how_records_get_there_does_not_name_a_run(tmp_path: Path) -> None:
    plain = digest(tmp_path / "a", **KAFKA)
    other_cluster = {**KAFKA, "kafka": {"bootstrap": "b-2:9092"}, "partitions": 9, "replication": 2}
    assert (
        digest(tmp_path / "b", **other_cluster, create="never", patience=9, binding="binary")
        == plain
    )
    assert digest(tmp_path / "c", **other_cluster, throttle={"messages_per_second": 1}) == plain
    assert digest(tmp_path / "d", **other_cluster, registry={"url": "http://r:8081"}) == plain
    assert digest(tmp_path / "e", **other_cluster, quotas={"producer_byte_rate": 9}) == plain


def test_what_is_sent_does(tmp_path: Path) -> None:
    plain = digest(tmp_path / "a", **KAFKA)
    assert digest(tmp_path / "b", **KAFKA, binding="structured") != plain
    assert digest(tmp_path / "c", **{**KAFKA, "prefix": "other"}) != plain
    assert digest(tmp_path / "d", prefix="retail") != plain


def test_a_password_is_shown_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAFKA_PASSWORD", "correct-horse-7")
    security = {
        "protocol": "SASL_PLAINTEXT",
        "mechanism": "PLAIN",
        "username": "cutline",
        "password": "${KAFKA_PASSWORD}",
    }
    kafka = {"bootstrap": "broker:9092", "security": security}
    project = load(write(tmp_path, topics(**{**KAFKA, "kafka": kafka})))
    assert "correct-horse-7" not in repr(project)
    assert "correct-horse-7" not in str(project.file.model_dump(mode="json"))
