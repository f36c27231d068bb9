"""The service and the catch-up of docs/handover.md do what the page says."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

import cutline
from support.group_progress import commit, project_on
from support.paths import DOCS
from support.published import new_name
from support.servers.kafka import KafkaBroker, Record

PAGE = (DOCS / "handover.md").read_text(encoding="utf-8")
[SERVICE, CATCH_UP] = re.findall(r"```python\n(.*?)```", PAGE, re.S)
[DECLARED] = re.findall(r"```yaml\n(.*?)```", PAGE, re.S)


@pytest.mark.kafka
@pytest.mark.process
def test_the_past_gets_its_discounts(kafka_broker: KafkaBroker, tmp_path: Path) -> None:
    group, topic = new_name("order-desk"), new_name("orders")
    kafka_broker.create_topic(topic, 1)

    def of_test(words: str) -> str:
        for name in ('"group.id": "order-desk"', '"order-desk", "orders"', "  order-desk:"):
            words = words.replace(name, name.replace("order-desk", group))
        for name in (f'"{group}", "orders"', 'subscribe(["orders"]'):
            words = words.replace(name, name.replace("orders", topic))
        return words.replace("broker-1:9092", kafka_broker.bootstrap)

    database = create_engine(f"sqlite:///{tmp_path}/service.db")
    with database.begin() as connection:
        connection.execute(text("CREATE TABLE orders (id text PRIMARY KEY, discount text)"))
        connection.execute(text("CREATE TABLE discounts_by_day (day text PRIMARY KEY)"))
        connection.execute(text("INSERT INTO orders (id) VALUES ('o-1'), ('o-2')"))
    kafka_broker.produce(topic, [Record(b"o-1", b"5 %", (), 0), Record(b"o-2", b"7 %", (), 0)])
    commit(kafka_broker, group, topic, {0: 2})
    project_on(kafka_broker, tmp_path)
    with (tmp_path / "cutline.yaml").open("a", encoding="utf-8") as file:
        file.write(of_test(DECLARED))
    handover = cutline.Project.open(tmp_path).handover(group, topic=topic)
    handover.start("beginning", owner="Anna", why="ticket 17")
    for name, code in (("service", SERVICE), ("catch_up", CATCH_UP)):
        (tmp_path / f"{name}.py").write_text(of_test(code), encoding="utf-8")
    service = subprocess.Popen(
        [sys.executable, "service.py"], cwd=tmp_path, stderr=subprocess.DEVNULL
    )
    try:
        caught_up = subprocess.run(
            [sys.executable, "catch_up.py"],
            cwd=tmp_path,
            timeout=120,
            check=False,
            capture_output=True,
            text=True,
        )
        assert caught_up.returncode == 0, caught_up.stderr
        assert handover.status().open == 0
        kafka_broker.produce(topic, [Record(b"o-3", b"9 %", (), 0)])
        until = time.monotonic() + 60
        while True:
            with database.connect() as connection:
                rows = connection.execute(text("SELECT id, discount FROM orders")).all()
            if len(rows) == 3:
                break
            assert time.monotonic() < until
            time.sleep(0.1)
    finally:
        # As Ctrl-C does: it leaves its group.
        service.send_signal(signal.SIGINT)
        service.wait(60)
    assert sorted(map(tuple, rows)) == [("o-1", "5 %"), ("o-2", "7 %"), ("o-3", "9 %")]
    assert handover.finish(remove_tables=True).status == "finished"
