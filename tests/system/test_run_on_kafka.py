"""Runs whose topics are on Kafka, through the whole command line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer, TopicPartition
from pyspark.sql import SparkSession

from cutline.context.payload import json_schema
from cutline.project.readiness import GATES
from cutline.quotas.admin import QuotaAdmin
from cutline.quotas.entity import QuotaEntity
from support.cash_orders import install_cash_orders, write_orders
from support.client_quotas import standing
from support.command_line import CommandLine
from support.gates import DECLARED
from support.late_orders import SHOP
from support.published import bootstrap, new_name
from support.servers.kafka import KafkaBroker, Record
from support.servers.kafka_settings import PASSWORDS
from support.servers.registry import SchemaRegistry

pytestmark = pytest.mark.kafka

QUOTAS = {"producer_byte_rate": 3_000_000, "consumer_byte_rate": 4_000_000}
CONFIG = """\
version: 1
name: shop
topics:
  kind: kafka
  prefix: {prefix}
  partitions: 2
  registry: {{url: "{registry}"}}
  kafka:
    bootstrap: "{bootstrap}"
    security:
      protocol: SASL_PLAINTEXT
      mechanism: PLAIN
      username: cutline
      password: ${{file:password}}
  quotas: {{producer_byte_rate: 3000000, consumer_byte_rate: 4000000}}
sources:
  web:
    kind: log
    truth: now.db
    extracted_at: 2026-10-01T00:00:00Z
    tables: {{lines: {{}}, orders: {{}}, notes: {{}}}}
    changes: {{kind: debezium, path: changes.jsonl, snapshot: {{policy: in-log}}}}
regions: {{all: {{everything: true}}}}
contexts:
  shop:
    translation: {{use: cash-orders, major: 1}}
    cut: {{policy: commit-timestamp, at: 2026-10-02T00:00:00Z}}
    gates: {{accept: [{{rule: no-buyer, max_rate: 1, reason: They are asked., owner: desk}}]}}
resends: {{shop: {{destinations: {{"{prefix}.repair": {{owner: desk}}}}}}}}
spark: {{quick_start: true, master: "local[2]"}}
"""


def test_a_slice_is_published_and_its_next_run_sends_what_is_new(
    spark: SparkSession,
    command_line: CommandLine,
    kafka_broker: KafkaBroker,
    schema_registry: SchemaRegistry,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    project, prefix = tmp_path / "project", new_name("shop")
    project.mkdir()
    install_cash_orders(monkeypatch, tmp_path, "kafka_shop")
    # Not from the environment: that of Spark's Python workers is older than this test.
    (project / "password").write_text(PASSWORDS["cutline"])
    config = CONFIG.format(
        prefix=prefix, bootstrap=kafka_broker.sasl_bootstrap, registry=schema_registry.url
    )
    (project / "cutline.yaml").write_text(config)
    in_project = ("--project", project, "--json")

    def run(code: int = 0) -> dict[str, Any]:
        done = command_line("-v", "run", "shop", "--region", "all", *in_project)
        assert done.returncode == code, done.stderr[-4_000:]
        assert PASSWORDS["cutline"] not in done.stderr + done.stdout
        return dict(json.loads(done.stdout))

    def publications(*options: str) -> list[dict[str, Any]]:
        shown = command_line("publications", "shop", *options, *in_project)
        assert shown.returncode == 0, shown.stderr
        return list(json.loads(shown.stdout))

    limits = watch_quotas(monkeypatch)

    def assert_limited(job: str) -> None:
        """One quota was set, for this job, and it is on the broker no more."""
        assert limits == [(QuotaEntity(f"cutline.{job}", "cutline"), QUOTAS)]
        assert standing(bootstrap(kafka_broker), f"cutline.{job}", "cutline") == {}
        limits.clear()

    history, state = f"{prefix}.shop.order.synthetic", f"{prefix}.shop.order.state"
    assert publications() == []
    write_orders(project, 9)
    first = run()
    assert first["decision"] == "go"
    assert_limited(f"{prefix}.shop.all")
    assert {m.key() for m in kafka_broker.read(history)} == {b"%d" % n for n in range(1, 10)}
    assert len(kafka_broker.read(history)) == 9
    assert len(kafka_broker.read(state)) == 9
    control = [dict(m.headers() or []) for m in kafka_broker.read(f"{prefix}.shop.control")]
    types = [headers["ce_type"].decode() for headers in control]
    assert types == ["run-started", *["stage-done"] * 5, "run-decided", "stage-done"]

    repair = f"{prefix}.repair"
    resent = command_line("resend", "shop", "3", "--region", "all", "--to", repair, *in_project)
    assert resent.returncode == 0, resent.stderr
    assert_limited(repair)
    [quota] = json.loads(resent.stdout)["quotas"]
    assert (quota["client_id"], quota["user"]) == (f"cutline.{repair}", "cutline")
    [again] = kafka_broker.read(repair)
    [published] = [m for m in kafka_broker.read(history) if m.key() == b"3"]
    assert (again.key(), again.value()) == (b"3", published.value())
    labels = dict(again.headers() or [])
    assert labels["ce_migreplay"].decode() == json.loads(resent.stdout)["id"]
    assert labels["ce_id"] == dict(published.headers() or [])["ce_id"]

    entries = {(p["topic"], p["partition"]): p for p in publications()}
    assert len(entries) == 8
    assert all(p["read_back_at"] for p in entries.values())
    assert sum(p["records"] for (topic, _), p in entries.items() if topic == history) == 9

    subjects = {
        f"{prefix}.shop.{event.event_type()}.v1": event for event in SHOP.aggregates[0].events
    }
    for subject, event in subjects.items():
        assert schema_registry.newest(subject) == json_schema("shop", event)

    assert run()["run_id"] == first["run_id"]
    assert len(kafka_broker.read(history)) == 9

    write_orders(project, 12, doubted=3)
    planned = publications("--region", "all", "--dry-run")
    assert {p["run_id"] for p in planned} == {first["run_id"]}
    assert {p["records"] for p in planned} == {0}
    assert sum(p["standing"] for p in planned if p["topic"] == history) == 9
    second = run()
    assert second["run_id"] != first["run_id"]
    assert len(kafka_broker.read(history)) == 11
    assert len(kafka_broker.read(state)) == 11
    newest = [p for p in publications() if p["run_id"] == second["run_id"]]
    of_history = [p for p in newest if p["topic"] == history]
    assert sum(p["records"] for p in of_history) == 2
    assert sum(p["standing"] for p in of_history) == 9
    assert {p["differing"] for p in of_history} == {0}
    for stage in second["stages"]:
        if stage["name"] == "report":
            assert stage["rows_out"] == 7
    assert_limited(f"{prefix}.shop.all")
    check_rehearsal(command_line, kafka_broker, project, prefix)
    assert_limited(f"{prefix}.shop.all.rehearsal")
    check_redrive(command_line, kafka_broker, project, prefix)
    assert_limited(f"{prefix}.shop.all")
    check_release(command_line, kafka_broker, project, prefix)
    assert_limited(f"{prefix}.shop.all")


def watch_quotas(monkeypatch: pytest.MonkeyPatch) -> list[tuple[QuotaEntity, dict[str, int]]]:
    """The quotas that are set from now on, each when the broker has it."""
    limits: list[tuple[QuotaEntity, dict[str, int]]] = []
    wait = QuotaAdmin.wait

    def noted(admin: QuotaAdmin, entity: QuotaEntity, rates: Mapping[str, int | None]) -> None:
        wait(admin, entity, rates)
        if None not in rates.values():
            limits.append((entity, {n: rate for n, rate in rates.items() if rate is not None}))

    monkeypatch.setattr(QuotaAdmin, "wait", noted)
    return limits


def check_redrive(
    command_line: CommandLine, broker: KafkaBroker, project: Path, prefix: str
) -> None:
    """What a mended rule tells anew is sent, supersedes what was published of it, and is all."""
    config = project / "cutline.yaml"
    config.write_text(config.read_text().replace("major: 1", "major: 2"))
    topics = f"{prefix}.shop.order.synthetic", f"{prefix}.shop.order.state"
    before = [broker.read(topic) for topic in topics]
    slice_ = ("shop", "--region", "all", "--project", project, "--json")
    done = command_line("exceptions", "redrive", *slice_, "--translator", "2.0.0")
    assert done.returncode == 0, done.stderr[-4_000:] + done.stdout[-4_000:]
    ids = {m.key(): dict(m.headers() or [])["ce_id"] for m in before[0]}
    places = {(m.partition(), m.offset()) for m in before[0]}
    new = [m for m in broker.read(topics[0]) if (m.partition(), m.offset()) not in places]
    superseded = {m.key(): dict(m.headers() or []).get("ce_migsupersedes") for m in new}
    assert len(new) == len(superseded) == 2
    assert superseded == {b"12": None, b"3": ids[b"3"]}
    # The third has the state that stands there.
    assert len(broker.read(topics[1])) == len(before[1]) + 1
    work = command_line("exceptions", "list", *slice_)
    assert json.loads(work.stdout)["total"] == 0


def check_release(
    command_line: CommandLine, broker: KafkaBroker, project: Path, prefix: str
) -> None:
    """A release has the history of its run alone, and is read only while nobody else wrote it."""
    with (project / "cutline.yaml").open("a") as config:
        config.write("rollout: {release_topics: true}\n")
    slice_ = ("shop", "--region", "all", "--project", project)
    newest = json.loads(command_line("runs", *slice_, "--json").stdout)[0]["run_id"]

    def rollout(command: str, *options: str, code: int = 0) -> str:
        done = command_line("rollout", *command.split(), *slice_, *options)
        assert done.returncode == code, done.stderr[-4_000:] + done.stdout[-4_000:]
        return str(done.stdout + done.stderr)

    rollout("open")
    rollout("stage", newest)
    release = f"{prefix}.release.shop.1.all"
    history, state = f"{release}.order.synthetic", f"{release}.order.state"
    events = broker.read(history)
    assert sorted(int(m.key()) for m in events) == list(range(1, 13))
    assert {dict(m.headers() or [])["migrunid"].decode() for m in events} == {newest}
    assert sorted(int(m.key()) for m in broker.read(state)) == list(range(1, 13))
    [listed] = json.loads(command_line("rollout", "ledger", *slice_, "--json").stdout)["releases"]
    assert set(listed["positions"]) == {history, state}
    last = max(m.offset() for m in events if m.partition() == 0)
    assert listed["positions"][history]["0"] > last
    assert "the topics of release 1 end where they did" in rollout("mirror", "100", "--dry-run")
    broker.produce(history, [Record(b"1", b"{}")])
    refused = rollout("mirror", "100", code=1)
    assert f"topic {history} holds other records than the release" in refused
    rollout("cancel")
    assert not _topics_of(broker, release)


def check_rehearsal(
    command_line: CommandLine, broker: KafkaBroker, project: Path, prefix: str
) -> None:
    """All of the newest run is rehearsed beside a live group, and nothing of it is left."""
    live, group = broker.create_topic(f"{prefix}.shop.order.live", 1), f"desk-{prefix}"
    broker.produce(live, [Record(b"1", b"{}")])
    desk = Consumer({"bootstrap.servers": broker.bootstrap, "group.id": group})
    desk.commit(offsets=[TopicPartition(live, 0, 1)], asynchronous=False)
    desk.close()
    with (project / "cutline.yaml").open("a") as config:
        declared = DECLARED | {"rehearsal": {"share": 1}, "live": [{"group": group, "topic": live}]}
        config.write(json.dumps({"readiness": {"shop": declared}})[1:-1] + "\n")
    standing = _topics_of(broker, prefix)
    slice_ = ("shop", "--region", "all", "--project", project, "--json")
    done = command_line("rehearse", *slice_, "--share", "1", "--group", group)
    assert done.returncode == 0, done.stderr[-4_000:] + done.stdout[-4_000:]
    figures = json.loads(done.stdout)["figures"]
    assert (figures["events"], figures["states"], figures["subjects"]) == (11, 11, 11)
    assert {gate["passed"] for gate in figures["gates"].values()} == {True}
    assert figures["gates"]["offsets"]["after"]["committed"] == {f"{group}@{live}": {"0": 1}}
    assert _topics_of(broker, prefix) == standing
    readiness = command_line("readiness", *slice_)
    colours = {gate["gate"]: gate["colour"] for gate in json.loads(readiness.stdout)["gates"]}
    # How the slice's writes come back is not declared.
    assert colours == dict.fromkeys(GATES, "green") | {"rollback": "red"}
    assert readiness.returncode == 1


def _topics_of(broker: KafkaBroker, prefix: str) -> set[str]:
    """The topics under a prefix: other tests make and remove topics of the broker meanwhile."""
    return {t for t in broker.admin().list_topics(timeout=30).topics if t.startswith(f"{prefix}.")}
