"""Topics of files, as Cutline writes them, without a broker."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest
from sqlalchemy import create_engine

from cutline.consumer import (
    ConsumerError,
    ConsumerPolicy,
    Effect,
    FilesSource,
    Handled,
    Retries,
    Service,
    envelope_of,
    run_files,
)
from cutline.topics.partition_file import PartitionFile
from support.consuming import LIVE, Desk

HEADERS = {
    "ce_specversion": "1.0",
    "ce_source": "urn:shop",
    "ce_type": "OrderPlaced",
    "ce_subject": "o-1",
    "content-type": "application/json",
    "migrunid": "run-1",
}


def body(id: str, value: str) -> bytes:
    """A record as Cutline puts it behind its offset."""
    headers = json.dumps(HEADERS | {"ce_id": id})
    return (
        f'"timestamp":"2026-11-01T06:00:00.000000Z","key":"o-1","headers":{headers},'
        f'"value":{value}}}'
    ).encode()


@pytest.fixture
def topic(tmp_path: Path) -> PartitionFile:
    """The second of two partitions."""
    (tmp_path / LIVE).mkdir()
    for number in (0, 1):
        file = PartitionFile(tmp_path / LIVE, number)
        file.path.touch()
    return file


def test_records_are_read_as_they_were_written(topic: PartitionFile, tmp_path: Path) -> None:
    topic.add([body("a", '{"amount":1.10}'), body("b", "null"), body("c", '"null"')])
    source = FilesSource(tmp_path)
    assert source.partitions(LIVE) == [0, 1]
    records = list(source.records(LIVE, 1))
    assert [(r.offset, r.key, r.value) for r in records] == [
        (0, b"o-1", b'{"amount":1.10}'),
        (1, b"o-1", None),
        (2, b"o-1", b'"null"'),
    ]
    assert [envelope_of(r).tombstone for r in records] == [False, True, False]
    assert [r.offset for r in source.records(LIVE, 1, 2)] == [2]


def test_a_service_goes_on_where_it_was(topic: PartitionFile, tmp_path: Path) -> None:
    desk, source = Desk(), FilesSource(tmp_path)
    topic.add([body("a", "{}"), body("b", "{}")])
    assert run_files(desk.service(), source, [LIVE]) == {Handled.HANDLED: 2}
    topic.add([body("b", "{}"), body("c", "{}")])
    assert run_files(desk.service(), source, [LIVE]) == {Handled.DUPLICATE: 1, Handled.HANDLED: 1}
    assert run_files(desk.service(), source, [LIVE]) == {}
    assert desk.handled() == desk.mailed() == ["a", "b", "c"]


def test_effects_are_tried_again_before_it_ends(topic: PartitionFile, tmp_path: Path) -> None:
    topic.add([body("a", "{}"), body("b", "{}")])
    desk, failures = Desk(), Counter[str]()

    def send(effect: Effect) -> None:
        failures[effect.event_id] += 1
        if effect.event_id == "b" or failures["a"] < 3:
            raise ConnectionError

    policy = ConsumerPolicy(retries=Retries(attempts=4, first=0.05, longest=0.05))
    service = Service("mailer", "1", desk.engine, desk.handle, {"mail": send}, policy)
    service.make_tables()
    run_files(service, FilesSource(tmp_path), [LIVE])
    assert failures == {"a": 3, "b": 4}
    assert service.outbox.pending() == 0
    assert [effect.event_id for effect in service.outbox.failed()] == ["b"]


def test_what_a_killed_process_had_claimed_is_sent(topic: PartitionFile, tmp_path: Path) -> None:
    topic.add([body("a", "{}")])
    desk = Desk()

    def killed(_: Effect) -> None:
        raise SystemExit

    policy = ConsumerPolicy(claim_seconds=0.3)
    for send in (killed, desk.send):
        service = Service("mailer", "1", desk.engine, desk.handle, {"mail": send}, policy)
        service.make_tables()
        with suppress(SystemExit):
            run_files(service, FilesSource(tmp_path), [LIVE])
    assert desk.mailed() == ["a"]


def test_a_service_that_is_stopped_ends(topic: PartitionFile, tmp_path: Path) -> None:
    desk = Desk()
    topic.add([body("a", "{}"), body("b", "{}")])
    service = desk.service()
    service.stop()
    assert run_files(service, FilesSource(tmp_path), [LIVE]) == {}
    assert desk.handled() == []


NO_RECORDS = [b'{"offset":1,"headers":[]}', b'{"offset":1,"value":' + b"[" * 100_000]


@pytest.mark.parametrize(
    "line",
    [b"{", b"[]", b'{"offset":true}', b"{} {}", b'{"key":"a"}', *NO_RECORDS],
    ids=lambda line: line[:24].decode(),
)
def test_a_line_that_is_no_record_is_told_by_its_place(
    topic: PartitionFile, tmp_path: Path, line: bytes
) -> None:
    topic.add([body("a", "{}")])
    with topic.path.open("ab") as file:
        file.write(line + b"\n")
    desk = Desk()
    with pytest.raises(ConsumerError, match=f"topic {LIVE}, partition 1, line 2 of 00001.jsonl"):
        run_files(desk.service(), FilesSource(tmp_path), [LIVE])
    assert desk.handled() == ["a"]


def test_a_topic_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConsumerError, match="topic nowhere is not there"):
        FilesSource(tmp_path).partitions("nowhere")


def test_a_database_that_cannot_be_opened_is_told(topic: PartitionFile, tmp_path: Path) -> None:
    topic.add([body("a", "{}")])
    desk = Desk()
    service = desk.service()
    away = create_engine(f"sqlite:///{tmp_path}/nowhere/service.db")
    broken = Service("mailer", "1", away, desk.handle, {"mail": desk.send})
    with pytest.raises(ConsumerError, match="the service's database failed: OperationalError"):
        run_files(broken, FilesSource(tmp_path), [LIVE])
    assert service.letters.shown() == []
