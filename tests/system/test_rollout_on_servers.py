"""The rollout's story on real servers, while orders keep arriving: PostgreSQL, Debezium, Kafka.

Whoever was told that an order is taken has it exactly once, at the side that took it; whoever was
refused has none. It is told to its end, as by `make rollout-demo-live`.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from support.command_line import CommandLine
from support.logged import install_plugin
from support.order_desk import Customers, Desk, NewSide, acts
from support.order_desk.accounts import faults
from support.order_desk.plugin import PACKAGE, PLUGIN, PYPROJECT
from support.published import new_name
from support.servers.debezium import Debezium
from support.servers.kafka import KafkaBroker
from support.servers.postgres import PostgresServer

pytestmark = [
    *(pytest.mark.kafka, pytest.mark.debezium, pytest.mark.postgres),
    *(pytest.mark.slow, pytest.mark.soak),
]

REGION = "west"


@pytest.fixture
def desk(
    spark: SparkSession,
    tmp_path: Path,
    postgres_server: PostgresServer,
    kafka_broker: KafkaBroker,
    debezium: Debezium,
    monkeypatch: pytest.MonkeyPatch,
) -> Desk:
    """The desk, before anything is rolled out."""
    del spark
    install_plugin(monkeypatch, tmp_path, PACKAGE, PYPROJECT, PLUGIN)
    return Desk.open(tmp_path / "desk", postgres_server, kafka_broker, debezium, new_name("desk"))


def test_each_order_that_was_taken_is_there_once(desk: Desk, command_line: CommandLine) -> None:
    def printed(words: tuple[str, ...]) -> str:
        done = command_line(*words, "--project", desk.folder)
        assert done.returncode == 0, done.stderr
        return done.stdout

    decisions = {}
    with NewSide(desk) as new_side:
        with Customers(desk, new_side, REGION) as customers:
            for act in acts(desk, customers, printed, REGION):
                done = command_line(*act.words, "--project", desk.folder)
                assert done.returncode == act.code, f"{act.words}: {done.stdout}{done.stderr}"
                if "decisions" in act.words:
                    decisions = json.loads(done.stdout)
        new_side.wait_until_fed()
    printed(("rollout", "feed", "desk", "--region", REGION))
    assert faults(desk, customers.answers, REGION) == []
    assert customers.answers.refused, "nobody took orders while the legacy was held"
    assert (decisions["total"], decisions["unjudged"]) == (0, 0)
    assert decisions["new"] >= 2
    assert decisions["fed_back"] >= 2
    assert customers.answers.legacy
