"""A source whose changes are topics of a real broker, from the project's file to its states."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from cutline.api.stages import STAGES
from cutline.errors import RunFailed
from cutline.project import load
from cutline.run.outcome import RunOutcome
from cutline.run.progress import ignore_events
from cutline.run.runner import run
from cutline.stage import Stage
from support.avro_records import encoded, envelope, record, with_schema
from support.ended import Killed
from support.logged import install_plugin
from support.servers.kafka import KafkaBroker, Record
from support.servers.registry import SchemaRegistry
from support.shop_project import PLUGIN, PYPROJECT, exported, order_records, write_project

pytestmark = pytest.mark.kafka

TO_STATES = STAGES[:4]
"""The stages up to the states, for what comparing says nothing of."""


@pytest.fixture
def topics(
    kafka_broker: KafkaBroker, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Mapping[str, str]:
    """The topics of the tables by their names, with two partitions each; the plugin is installed."""
    install_plugin(monkeypatch, tmp_path, "topic_shop", PYPROJECT, PLUGIN)
    prefix = tmp_path.name
    return {
        table: kafka_broker.create_topic(f"{prefix}.public.{table}", 2)
        for table in ("orders", "lines", "notes")
    }


def send(broker: KafkaBroker, topics: Mapping[str, str], *orders: int) -> None:
    """The connector's records of some orders, with the schema beside every other one."""
    for number in orders:
        for table, change in order_records(number):
            key = {"no": number} if table == "orders" else {"line_no": number}
            value = {"schema": {}, "payload": change} if number % 2 else change
            record = Record(json.dumps(key).encode(), json.dumps(value).encode())
            broker.produce(topics[table], [record])


def send_live(broker: KafkaBroker, topic: str, order: int) -> None:
    """A live event of an order."""
    attributes = {
        "specversion": "1.0",
        "id": f"note-{order}",
        "source": "urn:shop",
        "type": "Noted",
        "subject": str(order),
        "time": "2026-09-28T00:00:00Z",
    }
    headers = tuple((f"ce_{name}", text.encode()) for name, text in attributes.items())
    broker.produce(topic, [Record(str(order).encode(), b"{}", headers)])


def events_of(rows: Mapping[str, Any]) -> dict[str, int]:
    """The number of events in the timeline by type."""
    return dict(sorted(Counter(json.loads(row)["type"] for row in rows["timeline"]).items()))


def from_topics(broker: KafkaBroker, topics: Mapping[str, str], **more: object) -> dict[str, Any]:
    """The section `changes` of such a project."""
    return {"topics": list(topics.values()), "kafka": {"bootstrap": broker.bootstrap, **more}}


def run_shop(project: Path, stages: Sequence[Stage] = STAGES) -> RunOutcome:
    return run(load(project, "all"), "shop", "all", stages, (), ignore_events)


def digests(spark: SparkSession, project: Path, outcome: RunOutcome) -> dict[str, Any]:
    """What does not name the run, of the tables that hold the result."""
    from cutline.lake.lake import Lake, run_folder
    from cutline.tables import TIMELINE, VERDICTS

    lake = Lake(run_folder(str(project / "lake"), "shop", "all", outcome.record.run_id))
    timeline = lake.read(spark, TIMELINE).drop("migrunid", "migbatchid")
    states = spark.read.parquet(lake.path("state_order"))
    return {
        "timeline": sorted(timeline.toJSON().collect()),
        "verdicts": sorted(lake.read(spark, VERDICTS).toJSON().collect()),
        "states": sorted(states.toJSON().collect()),
    }


def test_topics_give_what_their_export_gives(
    spark: SparkSession, kafka_broker: KafkaBroker, topics: Mapping[str, str], tmp_path: Path
) -> None:
    send(kafka_broker, topics, 1, 2, 3)
    project = write_project(tmp_path / "topics", from_topics(kafka_broker, topics), 3)
    of_topics = run_shop(project)
    assert of_topics.record.decision == "go"
    # The same records as `kcat -J` exports them.
    messages = [m for topic in topics.values() for m in kafka_broker.read(topic)]
    records = [
        {
            "topic": m.topic(),
            "partition": m.partition(),
            "offset": m.offset(),
            "key": m.key().decode(),
            "payload": m.value().decode(),
        }
        for m in messages
    ]
    exported_project = write_project(tmp_path / "files", {"path": "changes.jsonl"}, 3)
    (exported_project / "changes.jsonl").write_text(exported(records))
    of_files = run_shop(exported_project, TO_STATES)
    rows = digests(spark, project, of_topics)
    assert len(rows["timeline"]) == len(rows["states"]) == 3
    assert rows == digests(spark, exported_project, of_files)


def test_an_interrupted_run_reads_what_it_was_to_read(
    spark: SparkSession, kafka_broker: KafkaBroker, topics: Mapping[str, str], tmp_path: Path
) -> None:
    """It also reads the live events that it was to read, where they meet history."""
    live_topic = kafka_broker.create_topic(f"{tmp_path.name}.live")
    send(kafka_broker, topics, 1, 2)
    send_live(kafka_broker, live_topic, 1)
    live = {
        "aggregates": ["order"],
        "kafka": {"bootstrap": kafka_broker.bootstrap},
        "records": {"order": {"topic": live_topic}},
    }
    project = write_project(tmp_path / "project", from_topics(kafka_broker, topics), 2, live)

    def killed(_: object) -> Any:
        raise Killed

    extract, translate, *rest = TO_STATES
    with pytest.raises(Killed):
        run_shop(project, [extract, Stage(translate.name, killed), *rest])
    send(kafka_broker, topics, 3)
    send_live(kafka_broker, live_topic, 2)
    resumed = run_shop(project, TO_STATES)
    positions = resumed.record.inputs["positions"]["web.changes"]
    assert events_of(digests(spark, project, resumed)) == {"Noted": 1, "Placed": 2}
    again = run_shop(project, TO_STATES)
    assert again.record.run_id != resumed.record.run_id
    assert again.record.inputs["positions"]["web.changes"] != positions
    assert events_of(digests(spark, project, again)) == {"Noted": 2, "Placed": 3}
    # Nothing came since.
    complete = run_shop(project, TO_STATES)
    assert complete.record.run_id == again.record.run_id
    assert complete.already_complete


def test_a_poison_record_is_named_by_its_place(
    spark: SparkSession, kafka_broker: KafkaBroker, topics: Mapping[str, str], tmp_path: Path
) -> None:
    send(kafka_broker, topics, 1)
    kafka_broker.produce(topics["orders"], [Record(b"?", b"\x00\xff poison", (), 1)])
    project = write_project(tmp_path / "project", from_topics(kafka_broker, topics), 1)
    place = f"topic {topics['orders']}, partition 1, offset "
    with pytest.raises(RunFailed, match=place):
        run_shop(project)


def test_avro_gives_what_json_gives(
    spark: SparkSession,
    kafka_broker: KafkaBroker,
    schema_registry: SchemaRegistry,
    topics: Mapping[str, str],
    tmp_path: Path,
) -> None:
    """And a record whose schema is gone is an exception of its row, by name."""
    schemas = {
        "orders": envelope("orders", no="long", buyer="string"),
        "lines": envelope("lines", line_no="long", order_no="long", item="string"),
    }
    for number in (1, 2):
        for table, change in order_records(number):
            subject = f"{topics[table]}-value"
            value = encoded(schema_registry, subject, schemas[table], change)
            key_schema = record("Key", **{"no" if table == "orders" else "line_no": "long"})
            key_value = dict.fromkeys(("no", "line_no"), number)
            key = encoded(schema_registry, f"{topics[table]}-key", key_schema, key_value)
            if (number, table) == (2, "orders"):
                value = with_schema(987654, schemas[table], change)
            kafka_broker.produce(topics[table], [Record(key, value)])
    changes = from_topics(kafka_broker, topics, registry={"url": schema_registry.url})
    project = write_project(tmp_path / "project", changes, 2)
    outcome = run_shop(project, TO_STATES)
    rows = digests(spark, project, outcome)
    assert events_of(rows) == {"Placed": 1}
    from cutline.lake.lake import Lake, run_folder
    from cutline.tables import EXCEPTIONS

    lake = Lake(run_folder(str(project / "lake"), "shop", "all", outcome.record.run_id))
    exceptions = lake.read(spark, EXCEPTIONS).collect()
    of_orders = [row for row in exceptions if row["table"] == "orders"]
    assert [(row["key"], row["rule"]) for row in of_orders] == [("[2]", "unknown-schema:987654")]
