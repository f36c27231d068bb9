"""The service of docs/consumers.md does what the page says."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from sqlalchemy import create_engine, insert, text

from cutline.consumer.control_rows import CONTROL, ROLLOUTS
from cutline.topics.partition_file import PartitionFile
from support.paths import DOCS

PAGE = (DOCS / "consumers.md").read_text(encoding="utf-8")
[CODE, READING] = re.findall(r"```python\n(.*?)```", PAGE, re.S)


def line(id: str, order: str, **attributes: str) -> bytes:
    names = {
        "specversion": "1.0",
        "id": id,
        "source": "urn:shop",
        "type": "OrderPlaced",
        "subject": order,
    } | attributes
    headers = {f"ce_{name}": value for name, value in names.items()}
    headers["content-type"] = "application/json"
    value = {"order_id": order, "customer": f"customer of {order}"}
    return f'"key":"{order}","headers":{json.dumps(headers)},"value":{json.dumps(value)}}}'.encode()


def write_topic(folder: Path, topic: str, *lines: bytes) -> None:
    (folder / "topics" / topic).mkdir(parents=True)
    file = PartitionFile(folder / "topics" / topic, 0)
    file.path.touch()
    file.add(lines)


def test_the_service_writes_both_and_mails_about_live_orders_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    old = {"migorigin": "synthetic", "migreplaysafe": "false"}
    write_topic(
        tmp_path, "retail.sales.order.synthetic", line("1", "o-1", **old), line("2", "o-2", **old)
    )
    write_topic(tmp_path, "retail.sales.order.live", line("3", "o-3", migorigin="native"))
    exec(compile(CODE, "consumers.md", "exec"), {"__name__": "service"})
    printed = capsys.readouterr().out.splitlines()
    assert [p.split(", key")[0] for p in printed] == ["to customer of o-3 about o-3"]
    with create_engine("sqlite:///mailer.db").connect() as connection:
        orders = connection.execute(text("SELECT id FROM orders")).scalars()
        assert sorted(orders) == ["o-1", "o-2", "o-3"]


def test_a_reader_asks_the_sides_of_its_share(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'control.db'}"
    slice_ = {"context": "fulfilment", "region": "eu-west"}
    row = slice_ | {"reads": "mirror", "percent": 100, "writes": "legacy", "epoch": 1}
    with create_engine(url).begin() as connection:
        CONTROL.create_all(connection)
        connection.execute(insert(ROLLOUTS).values(row))
    names: dict[str, object] = {}
    code = READING.replace("postgresql+psycopg://desk@control/cutline", url)
    exec(compile(code, "consumers.md", "exec"), names)
    assert (names["counts"], names["compared"]) == ("legacy", ["new"])


def test_what_the_page_names_is_offered() -> None:
    import cutline.consumer

    for name in ("run_kafka", "ControlDatabase", "ConsumerPolicy"):
        assert name in PAGE
        assert name in cutline.consumer.__all__
