"""Requests for backfills on a topic of Kafka, and what they send to another one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

import cutline
from support.backfilling import DESK, backfilled
from support.published import new_name
from support.replaying import Placed
from support.servers.kafka import KafkaBroker, Record

pytestmark = [pytest.mark.kafka, pytest.mark.usefixtures("spark")]


def test_requests_on_kafka_are_taken_once_also_of_a_topic_made_anew(
    tmp_path: Path, kafka_broker: KafkaBroker
) -> None:
    topic = kafka_broker.create_topic(new_name("asked"), 2)
    again = f"{topic}.again"
    backfilled(tmp_path, {"monday": [Placed(n, f"o-{n}", n) for n in (1, 2, 3)]}, topic=topic)
    document = yaml.safe_load((tmp_path / "cutline.yaml").read_text())
    document["topics"] = {
        **{"kind": "kafka", "kafka": {"bootstrap": kafka_broker.bootstrap}, "prefix": topic},
        **{"partitions": 1, "replication": 1},
    }
    document["replays"]["orders"]["destinations"] = {again: {"owner": DESK}}
    (tmp_path / "cutline.yaml").write_text(yaml.safe_dump(document), encoding="utf-8")
    queue = cutline.Project.open(tmp_path).backfills()

    def ask(*values: bytes | None) -> None:
        kafka_broker.produce(topic, [Record(b"k", value, ()) for value in values])

    def order(**more: Any) -> bytes:
        whole = {"replay": "orders", "to": again, "team": DESK, "asked_by": "kim", "why": "x"}
        return json.dumps(whole | more).encode()

    ask(order(keys=["o-2"]), b"\xff", None, order(rate=0))
    served = queue.serve()
    assert [e.status for e in served] == ["done", "refused", "refused", "refused"]
    assert [m.key() for m in kafka_broker.read(again)] == [b"o-2"]
    assert list(queue.serve()) == []
    ask(order(keys=["o-3"]))
    assert [(e.number, e.status) for e in queue.serve()] == [(5, "done")]
    # By its id: the same offsets of a topic made anew are other requests.
    kafka_broker.delete_topic(topic)
    kafka_broker.create_topic(topic, 2)
    ask(order(keys=["o-1"]))
    assert [(e.number, e.status) for e in queue.serve()] == [(6, "done")]
    assert sorted(str(m.key()) for m in kafka_broker.read(again)) == [
        *("b'o-1'", "b'o-2'", "b'o-3'"),
    ]


def test_a_broker_that_is_gone_is_said_and_nothing_is_lost(tmp_path: Path) -> None:
    backfilled(tmp_path, {}, topic="asked")
    document = yaml.safe_load((tmp_path / "cutline.yaml").read_text())
    document["topics"] = {
        **{"kind": "kafka", "kafka": {"bootstrap": "127.0.0.1:1"}, "prefix": "shop"},
        **{"partitions": 1, "replication": 1},
    }
    (tmp_path / "cutline.yaml").write_text(yaml.safe_dump(document), encoding="utf-8")
    queue = cutline.Project.open(tmp_path).backfills()
    with pytest.raises(cutline.CutlineError) as failure:
        queue.serve()
    assert failure.value.exit_code == 3
    assert "backfills.topic" in str(failure.value)
