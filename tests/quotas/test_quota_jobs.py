"""Replays, backfills and their like work under client quotas of a real broker."""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import cutline
from cutline.errors import RunFailed
from cutline.logs import fields
from cutline.replay.sending import ReplayKafka
from support.backfilling import DESK
from support.client_quotas import BOTH_RATES, CONSUMER, PRODUCER, quota_project, set_rates, standing
from support.command_line import CommandLine
from support.forked import exit_code_of
from support.published import bootstrap, new_name
from support.replaying import Placed
from support.servers.kafka import KafkaBroker, Record
from support.servers.process import NotReady, wait_for
from support.shared_jvm import in_jvm_of

pytestmark = [pytest.mark.kafka, pytest.mark.usefixtures("spark")]


class Shop:
    """A project that replays a topic of a broker to `again`, under quotas."""

    def __init__(
        self, folder: Path, broker: KafkaBroker, quotas: Mapping[str, int] | None, **more: Any
    ) -> None:
        self.folder, self.settings = folder, bootstrap(broker)
        self.topic = broker.create_topic(new_name("quota"), 2)
        self.again = f"{self.topic}.again"
        self.client_id = f"cutline.{self.again}"
        self.kafka, self.more = {"bootstrap": broker.bootstrap}, more
        self.declare(quotas)

    def declare(self, quotas: Mapping[str, int] | None) -> None:
        orders = {
            "source": {"topics": [self.topic], **self.more},
            "destinations": {self.again: {"owner": DESK}},
        }
        sections = {"replays": {"orders": orders}, "backfills": {"teams": {DESK: {}}}}
        quota_project(self.folder, self.kafka, quotas, **sections)

    def filled(self, broker: KafkaBroker, records: int, size: int = 0) -> Shop:
        """With so many records, each with so many bytes that no compression makes fewer."""
        broker.produce(
            self.topic,
            [
                Record(
                    b"o-%d" % (n % 7),
                    b'{"no":%d,"x":"%s"}' % (n, os.urandom(size).hex().encode()),
                    tuple((k, v.encode()) for k, v in Placed(n, minute=n).headers().items()),
                )
                for n in range(records)
            ],
        )
        return self

    @property
    def project(self) -> cutline.Project:
        return cutline.Project.open(self.folder)

    def standing(self) -> dict[str, float]:
        return standing(self.settings, self.client_id)


@pytest.fixture
def logged(caplog: pytest.LogCaptureFixture) -> Iterator[Callable[[str], list[dict[str, Any]]]]:
    """The fields of the records with a message."""
    with caplog.at_level(logging.INFO, "cutline"):
        yield lambda message: [fields(r) for r in caplog.records if r.getMessage() == message]


def test_a_broker_slows_a_replay_down_and_is_as_before_behind_it(
    kafka_broker: KafkaBroker,
    tmp_path: Path,
    logged: Callable[[str], list[dict[str, Any]]],
) -> None:
    quotas = {PRODUCER: 10_000, CONSUMER: 200_000}
    # It is more than the quota allows in any eleven seconds, so that no slow machine hides it.
    shop = Shop(tmp_path, kafka_broker, quotas).filled(kafka_broker, 1, 120_000)
    says: list[str] = []
    during: dict[str, dict[str, float]] = {}

    def say(text: str) -> None:
        says.append(text)
        during[text] = shop.standing()

    planned = shop.project.replay("orders", to=shop.again, dry_run=True, say=say)
    [quota] = planned.quotas
    assert (quota.client_id, quota.user) == (shop.client_id, None)
    assert (quota.producer_byte_rate, quota.consumer_byte_rate) == (10_000, 200_000)
    assert not any(during.values())
    says.clear()
    end = shop.project.replay("orders", to=shop.again, say=say)
    assert (end.replayed, len(kafka_broker.read(shop.again))) == (1, 1)
    # Before the first record is read, and as long as records are sent.
    assert says[0].startswith(f"client quota of client id {shop.client_id}, of each broker")
    assert says[1] == "reading the source"
    assert [during[text] for text in says] == [quotas] * len(says)
    # The broker's own word that it delayed what was sent.
    [throttled] = logged("throttled by a client quota")
    assert throttled["seconds"] > 0
    assert shop.standing() == {}
    assert list(shop.project.client_quotas()) == []


def test_without_quotas_nobody_is_throttled(
    kafka_broker: KafkaBroker,
    tmp_path: Path,
    logged: Callable[[str], list[dict[str, Any]]],
) -> None:
    shop = Shop(tmp_path, kafka_broker, None).filled(kafka_broker, 1, 120_000)
    # Of the client id that it would have: without quotas it has none of its own.
    set_rates(shop.settings, shop.client_id, {PRODUCER: 1})
    end = shop.project.replay("orders", to=shop.again)
    assert (end.replayed, end.quotas) == (1, ())
    assert logged("throttled by a client quota") == []


def test_a_replay_that_fails_in_the_middle_leaves_no_quota(
    kafka_broker: KafkaBroker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = Shop(tmp_path, kafka_broker, BOTH_RATES).filled(kafka_broker, 3)
    send = ReplayKafka.send

    def fails(topics: ReplayKafka, *arguments: Any) -> dict[str, Any]:
        send(topics, *arguments)
        assert shop.standing() == BOTH_RATES
        raise RunFailed("the broker went away")

    with monkeypatch.context() as patch:
        patch.setattr(ReplayKafka, "send", fails)
        with pytest.raises(RunFailed, match="the broker went away"):
            shop.project.replay("orders", to=shop.again)
    assert shop.standing() == {}
    assert shop.project.replay("orders", to=shop.again).went_on
    assert len(kafka_broker.read(shop.again)) == 3


def test_a_source_on_a_cluster_of_its_own_has_a_quota_there(
    kafka_broker: KafkaBroker, tmp_path: Path
) -> None:
    read = {CONSUMER: 300_000}
    source = {"bootstrap": f"localhost:{kafka_broker.port}", "quotas": read}
    shop = Shop(tmp_path, kafka_broker, {PRODUCER: 50_000}, kafka=source)
    shop.filled(kafka_broker, 3)
    during: list[tuple[Any, Any]] = []

    def say(_: str) -> None:
        of_source = standing(shop.settings, f"{shop.client_id}.source")
        during.append((shop.standing(), of_source))

    end = shop.project.replay("orders", to=shop.again, say=say)
    assert [quota.consumer_byte_rate for quota in end.quotas] == [None, 300_000]
    assert during[-1] == ({PRODUCER: 50_000}, read)
    assert (shop.standing(), standing(shop.settings, f"{shop.client_id}.source")) == ({}, {})


def test_each_backfill_is_sent_under_the_quota_of_its_destination(
    kafka_broker: KafkaBroker, tmp_path: Path
) -> None:
    shop = Shop(tmp_path, kafka_broker, BOTH_RATES).filled(kafka_broker, 3)
    queue = shop.project.backfills()
    queue.submit("orders", to=shop.again, team=DESK, why="a field")
    during: dict[str, dict[str, float]] = {}
    [served] = queue.serve(say=lambda text: during.setdefault(text, shop.standing()) and None)
    assert (served.status, served.records) == ("done", 3)
    [sending] = [text for text in during if "sending 3 records" in text]
    assert during[sending] == BOTH_RATES
    assert shop.standing() == {}


def test_quotas_that_were_left_are_shown_and_removed(
    kafka_broker: KafkaBroker, tmp_path: Path, command_line: CommandLine
) -> None:
    shop = Shop(tmp_path, kafka_broker, BOTH_RATES).filled(kafka_broker, 3)
    in_project = ("--project", tmp_path)

    def quotas(*options: str) -> str:
        done = command_line("quotas", *options, *in_project)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert json.loads(quotas("--json")) == []
    assert quotas("--clean") == "Nothing was left.\n"
    killed_while_it_works(shop)
    [left] = json.loads(quotas("--json"))
    assert (left["client_id"], left["held_by"]) == (shop.client_id, None)
    assert (left["producer_byte_rate"], left["consumer_byte_rate"]) == (1_000_000, 2_000_000)
    assert shop.client_id in quotas()
    assert shop.standing() == BOTH_RATES
    assert json.loads(quotas("--clean", "--json")) == {"removed": [shop.client_id]}
    assert shop.standing() == {}
    dry_run = ("replay", "orders", "--to", shop.again, "--dry-run")
    planned = command_line(*dry_run, *in_project)
    assert (
        f"each broker lets client id {shop.client_id} send 1,000,000 and read 2,000,000 bytes a "
        "second" in planned.stdout
    )


def killed_while_it_works(shop: Shop) -> None:
    def replay() -> None:
        shop.project.replay(
            "orders", to=shop.again, say=lambda _: os.kill(os.getpid(), signal.SIGKILL)
        )

    assert exit_code_of(replay) == -signal.SIGKILL


@pytest.mark.process
@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGKILL])
def test_a_process_that_is_ended_while_it_sends(
    kafka_broker: KafkaBroker, tmp_path: Path, spark: SparkSession, by: signal.Signals
) -> None:
    shop = Shop(tmp_path, kafka_broker, {PRODUCER: 500}).filled(kafka_broker, 40, 1_000)
    command = [sys.executable, "-m", "cutline", "replay", "orders", "--to", shop.again]
    with (tmp_path / "stderr").open("w") as errors:
        process = subprocess.Popen(
            [*command, "--project", str(tmp_path)],
            stdout=subprocess.DEVNULL,
            stderr=errors,
            env=in_jvm_of(spark, dict(os.environ)),
        )

    def sends() -> None:
        assert process.poll() is None
        if "sending 40 records" not in (tmp_path / "stderr").read_text():
            raise NotReady("it does not send yet")

    wait_for(sends, 120)
    assert shop.standing() == {PRODUCER: 500}
    process.send_signal(by)
    if by == signal.SIGTERM:
        assert process.wait(60) == 3
        assert shop.standing() == {}
    else:
        process.wait(60)
        assert shop.standing() == {PRODUCER: 500}
        [left] = shop.project.client_quotas()
        assert left.held_by is None
    # The same command goes on, here without any quota: what was left is none the less removed.
    shop.declare(None)
    says: list[str] = []
    end = shop.project.replay("orders", to=shop.again, say=says.append)
    assert (end.went_on, end.replayed) == (True, 40)
    assert any("an ended process left" in text for text in says) == (by == signal.SIGKILL)
    assert shop.standing() == {}
    assert len(kafka_broker.read(shop.again)) == 40
