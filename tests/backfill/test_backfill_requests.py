"""What a request for a backfill may say, and what it is refused for before it is queued."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import cutline
from cutline.backfill.intake import take_requests
from cutline.backfill.order import (
    BackfillCancellation,
    BackfillOrder,
    parse_request,
    read_document,
)
from cutline.control import Control
from cutline.project import load_shared
from cutline.replay.narrowing import narrowed
from support.backfilling import DESK, ORDER, backfilled


def test_an_order_is_kept_as_it_was_asked_for() -> None:
    full = ORDER | {
        **{"path": "2024", "from": "2024-11-01T06:00:00Z", "until": "2024-11-02T08:00:00+02:00"},
        **{"keys": ["o-1"], "types": ["OrderPlaced"], "where": "true", "rate": 5},
    }
    for document in (ORDER, full):
        order = read_document(document)
        assert isinstance(order, BackfillOrder)
        assert read_document(order.document()) == order
    request = order.request()
    assert request.end is not None
    assert request.end.isoformat() == "2024-11-02T06:00:00+00:00"
    assert (request.name, request.keys, request.rate) == ("orders", ("o-1",), 5)
    cancels = read_document({"cancel": 3, "asked_by": "kim", "why": "no"})
    assert cancels == BackfillCancellation(cancel=3, asked_by="kim", why="no")


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"to": None}, "to: Input should be a valid string"),
        ({"form": "x"}, "form: Extra inputs are not permitted"),
        ({"from": "yesterday"}, "from: Value error, must be a moment with a zone"),
        ({"from": 1730419200}, "from: Value error, must be a moment with a zone"),
        ({"until": "1730419200"}, "until: Value error, must be a moment with a zone"),
        ({"until": "2024-11-01T06:00:00"}, "until: Input should have timezone info"),
        ({"from": "0001-01-01T00:00:00+14:00"}, "from: Value error, must be a moment of the years"),
        ({"rate": 0}, "rate: Input should be greater than or equal to 1"),
        ({"rate": True}, "rate: Input should be a valid integer"),
        ({"rate": 5.0}, "rate: Input should be a valid integer"),
        ({"rate": "5"}, "rate: Input should be a valid integer"),
        ({"pass_siblings": 1}, "pass_siblings: Input should be a valid boolean"),
        ({"keys": "o-1"}, "keys: Input should be a valid tuple"),
        ({"keys": []}, "keys: Tuple should have at least 1 item"),
        ({"types": []}, "types: Tuple should have at least 1 item"),
        ({"team": " "}, "team: "),
        ({"cancel": 1}, "Extra inputs are not permitted"),
    ],
)
def test_each_fault_of_a_request_is_named(change: Mapping[str, Any], fault: str) -> None:
    with pytest.raises(cutline.ConfigurationError, match="is none of a backfill") as refused:
        read_document(ORDER | change)
    assert fault in str(refused.value)


@pytest.mark.parametrize("number", ["true", "2.0", '"2"', "[2]", "null"])
def test_what_is_cancelled_is_a_whole_number(number: str) -> None:
    text = f'{{"cancel": {number}, "asked_by": "kim", "why": "no"}}'
    with pytest.raises(
        cutline.ConfigurationError,
        match="cancel: Input should be a valid integer",
    ):
        read_document(parse_request(text.encode()))


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        *[(b"{", "it is no JSON"), (b"[]", "it is no JSON object"), (b"\xff", "it is no UTF-8")],
        (b'{"cancel": 1, "cancel": 2}', "it has a member twice"),
    ],
)
def test_what_is_no_request_is_refused(text: bytes, fault: str) -> None:
    with pytest.raises(cutline.ConfigurationError, match=fault):
        parse_request(text)


def test_a_record_that_says_something_twice_is_refused(tmp_path: Path) -> None:
    queue = backfilled(tmp_path, {}, topic="asked")
    queue.submit("orders", to="orders.again", team=DESK, why="x")
    topic = tmp_path / "topics" / "asked"
    topic.mkdir(parents=True)
    value = '{"cancel": 2, "cancel": 1, "asked_by": "kim", "why": "no"}'
    (topic / "00000.jsonl").write_text(f'{{"offset": 0, "value": {value}}}\n')
    project = load_shared(tmp_path)
    control = Control.open(project.file.control, project.folder)
    (refused,) = take_requests(project, control)
    assert refused.status == "refused"
    assert "it has a member twice" in str(refused.reason)
    assert queue.show(1).status == "queued"


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"team": "Order desks"}, "there is no team in backfills.teams called 'Order desks'"),
        ({"replay": "order"}, "there is no replay in replays called 'order'. Did you mean"),
        ({"to": "orders.live"}, "topic orders.live is declared as live"),
        ({"to": "elsewhere"}, "topic elsewhere has no owner"),
        ({"path": "../secrets"}, "path '../secrets' is not below replays.orders.source.archive"),
        ({"path": "/etc"}, "path '/etc' is not below"),
        ({"path": "s3://other/x"}, "is not below"),
        ({"since": "2999-01-01T00:00:00Z"}, "is not before --until"),
        ({"until": "2999-01-01T00:00:00Z"}, "is in the future"),
        ({"rate": 7}, "rate is for topics on Kafka"),
        ({"why": " "}, "why"),
    ],
)
def test_what_can_never_be_begun_is_not_queued(
    tmp_path: Path, change: Mapping[str, Any], fault: str
) -> None:
    queue = backfilled(tmp_path, {})
    arguments = {"replay": "orders", "to": "orders.again", "team": DESK, "why": "x", **change}
    with pytest.raises(cutline.ConfigurationError) as refused:
        queue.submit(arguments.pop("replay"), **arguments)
    assert fault in str(refused.value)
    assert list(queue.list()) == []


def test_who_may_ask_is_declared(tmp_path: Path) -> None:
    queue = backfilled(tmp_path, {})
    file = tmp_path / "cutline.yaml"
    file.write_text(file.read_text().split("backfills:")[0] + _after_backfills(file.read_text()))
    with pytest.raises(cutline.ConfigurationError, match="backfills is missing"):
        queue.submit("orders", to="orders.again", team=DESK, why="x")


def _after_backfills(text: str) -> str:
    """What stands in cutline.yaml behind its section of backfills."""
    lines = text.split("backfills:")[1].splitlines()[1:]
    first = next((n for n, line in enumerate(lines) if not line.startswith(" ")), len(lines))
    return "\n".join(lines[first:]) + "\n"


def test_a_full_queue_takes_nothing(tmp_path: Path) -> None:
    queue = backfilled(tmp_path, {})
    for _ in range(3):
        queue.submit("orders", to="orders.again", team=DESK, why="x")
    with pytest.raises(cutline.ConfigurationError, match="3 backfills of Order desk are queued"):
        queue.submit("orders", to="orders.again", team=DESK, why="x")
    assert queue.submit("orders", to="orders.again", team="Shop", why="x").number == 4
    assert [entry.number for entry in queue.list(limit=2)] == [4, 3]
    assert [entry.number for entry in queue.list(team=DESK)] == [3, 2, 1]
    with pytest.raises(cutline.ConfigurationError, match="'waits' is none of queued"):
        queue.list(status="waits")
    for missing in (lambda: queue.show(9), lambda: queue.cancel(9, why="x")):
        with pytest.raises(cutline.ConfigurationError, match="There is no backfill 9"):
            missing()


def test_a_part_of_an_archive_is_below_its_folder(tmp_path: Path) -> None:
    backfilled(tmp_path, {})
    project = load_shared(tmp_path)
    assert narrowed(project, "orders", None) is project
    archive = narrowed(project, "orders", "2024/orders-*.jsonl").file.replays["orders"].source
    assert archive.archive is not None
    assert archive.archive.path == "archive/2024/orders-*.jsonl"
    for path, fault in (("archive/x.jsonl", "no folder"), ("archive/*.jsonl", "no folder")):
        document = (tmp_path / "cutline.yaml").read_text().replace("path: archive", f"path: {path}")
        (tmp_path / "other").mkdir(exist_ok=True)
        (tmp_path / "other" / "cutline.yaml").write_text(document)
        with pytest.raises(cutline.ConfigurationError, match=fault):
            narrowed(load_shared(tmp_path / "other"), "orders", "2024")
