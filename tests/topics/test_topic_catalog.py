"""Which topics there are, where they end, and how they go."""

from __future__ import annotations

from pathlib import Path

import pytest

from cutline.errors import RunFailed
from cutline.kafka import ClientSettings
from cutline.topics.catalog.files import FileCatalog
from cutline.topics.catalog.kafka import KafkaCatalog
from cutline.topics.partition_file import PartitionFile
from support.published import new_name
from support.servers.kafka import KafkaBroker, Record
from support.topics_read import settings_of


def test_topics_in_files(tmp_path: Path) -> None:
    catalog = FileCatalog(str(tmp_path / "topics"))
    assert catalog.topics() == []
    assert catalog.ends(["a.state"]) == {}
    for topic, records in (("a.state", 2), ("b.state", 0)):
        for number in (0, 1):
            folder = tmp_path / "topics" / topic
            folder.mkdir(parents=True, exist_ok=True)
            file = PartitionFile(folder, number)
            file.path.touch()
            file.add([b'"key":"k"}'] * records * number)
    (tmp_path / "topics" / "_appending").mkdir()
    assert catalog.topics() == ["a.state", "b.state"]
    assert catalog.ends(["a.state", "b.state", "c.state"]) == {
        "a.state": {"0": 0, "1": 2},
        "b.state": {"0": 0, "1": 0},
    }
    catalog.remove(["a.state", "c.state"])
    assert catalog.topics() == ["b.state"]


def test_what_a_killed_removal_left_is_removed(tmp_path: Path) -> None:
    catalog = FileCatalog(str(tmp_path))
    (tmp_path / "a.state").mkdir()
    assert catalog.topics() == ["a.state"]
    catalog.remove(catalog.topics())
    assert catalog.topics() == []


def test_a_folder_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.state").write_text("a file")
    topic = tmp_path / "b.state"
    topic.mkdir()
    (topic / "00000.jsonl").mkdir()
    with pytest.raises(RunFailed, match=f"the topics in {tmp_path} cannot be read or removed"):
        FileCatalog(str(tmp_path)).ends(["b.state"])


@pytest.mark.kafka
def test_topics_on_kafka(kafka_broker: KafkaBroker) -> None:
    catalog = KafkaCatalog(settings_of(kafka_broker))
    name = new_name("catalog")
    first, second = (kafka_broker.create_topic(f"{name}.{n}", 2) for n in "ab")
    kafka_broker.produce(first, [Record(b"k", b"1"), Record(b"k", b"2")])
    assert [topic for topic in catalog.topics() if topic.startswith(name)] == [first, second]
    ends = catalog.ends([first, second, f"{name}.c"])
    assert set(ends) == {first, second}
    assert sorted(ends[first].values()) == [0, 2]
    assert ends[second] == {"0": 0, "1": 0}
    assert catalog.ends([f"{name}.c"]) == catalog.ends([]) == {}
    catalog.remove([first, f"{name}.c"])
    assert [topic for topic in catalog.topics() if topic.startswith(name)] == [second]
    catalog.remove([])


def test_a_cluster_that_is_away_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cutline.topics.catalog.kafka._REQUEST", 1.0)
    away = ClientSettings({"bootstrap.servers": "127.0.0.1:1", "security.protocol": "PLAINTEXT"})
    with pytest.raises(RunFailed, match=r"127\.0\.0\.1:1 does not tell of its topics"):
        KafkaCatalog(away).topics()
