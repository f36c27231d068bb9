"""The legacy of docs/rollout.md, on a real PostgreSQL: what its statements hold, and what is waited
for."""

from __future__ import annotations

import dataclasses
import re
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest
import yaml
from pydantic import SecretStr
from sqlalchemy import make_url

from cutline.rehearsal import denying
from cutline.rehearsal.way_back import try_way_back
from cutline.rollout.legacy import LegacyDatabase
from cutline.rollout.steps import hold
from support.paths import ROOT
from support.rolled_out import CONTEXT, REGION, RolledOutSlice, without_spark

PAGE = (ROOT / "docs" / "rollout.md").read_text(encoding="utf-8")

pytestmark = pytest.mark.postgres


def block(language: str) -> str:
    """The one block of the page in a language."""
    (text,) = re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    return str(text)


@pytest.fixture
def legacy(postgres_url: str) -> Iterator[psycopg.Connection[Any]]:
    """A connection to a legacy with the table and the trigger of the page."""
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(
            "CREATE TABLE orders (order_no text PRIMARY KEY, region text, status text)"
        )
        connection.execute("CREATE TABLE reverse_feed (running boolean, behind int)")
        connection.execute("INSERT INTO reverse_feed VALUES (true, 0)")
        connection.execute("INSERT INTO orders VALUES ('w1', 'eu-west', 'NEW')")
        connection.execute("INSERT INTO orders VALUES ('w0', 'eu-west', 'NEW')")
        connection.execute("INSERT INTO orders VALUES ('e1', 'us-east', 'NEW')")
        connection.execute(block("sql"))  # type: ignore[arg-type]
        yield connection


@pytest.fixture
def slice_(
    tmp_path: Path,
    postgres_url: str,
    legacy: psycopg.Connection[Any],
    monkeypatch: pytest.MonkeyPatch,
) -> RolledOutSlice:
    """A slice whose reads are new, with the statements of the page."""
    without_spark(monkeypatch)
    monkeypatch.setattr(hold, "POLL_SECONDS", 0.05)
    sections = yaml.safe_load(block("yaml"))["rollout"]
    # No connector reads this database, and its password is that of the test's server.
    sections["legacy_writes"] |= {"url": "sqlite:///unused.db", "drained": None, "seconds": 60}
    slice_ = RolledOutSlice(tmp_path, **sections)
    rollout = slice_.project.file.rollout
    assert rollout.legacy_writes is not None
    section = rollout.legacy_writes.model_copy(update={"url": SecretStr(postgres_url)})
    rollout = rollout.model_copy(update={"legacy_writes": section})
    slice_.project = slice_.project.__class__(
        file=slice_.project.file.model_copy(update={"rollout": rollout}),
        folder=slice_.project.folder,
        config=slice_.project.config,
        region=slice_.project.region,
    )
    for command, arguments in (("open", []), ("stage", ["run-1"]), ("switch reads", [None])):
        slice_.do(command, *arguments)
    return slice_


def is_denied(legacy: psycopg.Connection[Any], statement: str) -> bool:
    try:
        legacy.execute(statement)  # type: ignore[arg-type]
    except psycopg.errors.RaiseException as error:
        return "written elsewhere" in str(error)
    return False


def as_ordinary_user(slice_: RolledOutSlice, legacy: psycopg.Connection[Any]) -> None:
    """Denials are written by a user of no other right, to whom PostgreSQL shows little of others."""
    legacy.execute("DROP ROLE IF EXISTS denying")
    legacy.execute("CREATE ROLE denying LOGIN PASSWORD 'denying'")
    legacy.execute("GRANT ALL ON cutline_denials, reverse_feed TO denying")
    rollout = slice_.project.file.rollout
    assert rollout.legacy_writes is not None
    url = make_url(rollout.legacy_writes.url.get_secret_value())
    url = url.set(username="denying", password="denying")
    section = rollout.legacy_writes.model_copy(
        update={"url": SecretStr(url.render_as_string(hide_password=False))}
    )
    rollout = rollout.model_copy(update={"legacy_writes": section})
    file = slice_.project.file.model_copy(update={"rollout": rollout})
    slice_.project = dataclasses.replace(slice_.project, file=file)


def test_the_slice_alone_is_held_and_given_back(
    slice_: RolledOutSlice, legacy: psycopg.Connection[Any]
) -> None:
    slice_.do("switch writes")
    for statement in (
        "INSERT INTO orders VALUES ('w2', 'eu-west', 'NEW')",
        "UPDATE orders SET status = 'PAID' WHERE order_no = 'w1'",
        "UPDATE orders SET region = 'us-east' WHERE order_no = 'w1'",
        "UPDATE orders SET region = 'eu-west' WHERE order_no = 'e1'",
        "DELETE FROM orders WHERE order_no = 'w1'",
    ):
        assert is_denied(legacy, statement), statement
    assert not is_denied(legacy, "UPDATE orders SET status = 'PAID' WHERE order_no = 'e1'")
    position = next(
        line.evidence["position"]
        for line in slice_.control.rollout_ledger(CONTEXT, REGION)
        if line.step == "record-position"
    )
    assert re.fullmatch(r"[0-9A-F]+/[0-9A-F]+", position)
    # The feed back writes there while nobody else may.
    legacy.execute("DO $$BEGIN CREATE ROLE reverse_feed; EXCEPTION WHEN OTHERS THEN END$$")
    legacy.execute("GRANT SELECT, UPDATE ON orders TO reverse_feed")
    legacy.execute("SET ROLE reverse_feed")
    assert legacy.execute("UPDATE orders SET status = 'FED' WHERE order_no = 'w1'").rowcount == 1
    legacy.execute("RESET ROLE")
    slice_.do("reverse writes")
    assert not is_denied(legacy, "UPDATE orders SET status = 'PAID' WHERE order_no = 'w1'")


def test_a_hold_ends_by_the_clock_of_the_legacy(
    slice_: RolledOutSlice, legacy: psycopg.Connection[Any]
) -> None:
    section = slice_.work().holding
    names = {"context": CONTEXT, "region": REGION}
    database = LegacyDatabase("legacy_writes", section.url, slice_.folder, names)
    database.tell("hold", section.hold, epoch=7, seconds=1)
    assert is_denied(legacy, "DELETE FROM orders WHERE order_no = 'w1'")
    legacy.execute("SELECT pg_sleep(1.1)")
    assert not database.is_true("denied", section.denied, epoch=7)
    assert not is_denied(legacy, "UPDATE orders SET status = 'PAID' WHERE order_no = 'w1'")


def test_the_way_back_is_tried_by_the_statements_of_the_page(
    slice_: RolledOutSlice, legacy: psycopg.Connection[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    as_ordinary_user(slice_, legacy)
    denials: set[tuple[Any, ...]] = set()

    def look_and_sleep(seconds: float) -> None:
        denials.update(legacy.execute("SELECT region, epoch, ends_at IS NULL FROM cutline_denials"))
        assert not is_denied(legacy, "UPDATE orders SET status = 'PAID' WHERE order_no = 'w1'")
        time.sleep(seconds)

    # Of this module alone: threads of other libraries sleep by the same function.
    slept = SimpleNamespace(sleep=look_and_sleep, monotonic=time.monotonic)
    monkeypatch.setattr(denying, "time", slept)
    figures = try_way_back(slice_.project, slice_.control, CONTEXT, REGION, lambda _: None)
    assert figures is not None
    assert figures["passed"], figures["says"]
    assert denials == {("rehearsal", 1, False), ("rehearsal", 1, True)}
    assert "rollout.legacy_writes.position" in {step["key"] for step in figures["steps"]}
    assert legacy.execute("SELECT * FROM cutline_denials").fetchall() == []
    legacy.execute("REVOKE DELETE ON cutline_denials FROM denying")
    refused = try_way_back(slice_.project, slice_.control, CONTEXT, REGION, lambda _: None)
    assert refused is not None
    assert "rollout.legacy_writes.release failed: permission denied" in refused["says"]


@pytest.mark.parametrize(
    ("begin", "first"),
    [
        ("BEGIN", "INSERT INTO orders VALUES ('w3', 'eu-west', 'NEW')"),
        ("BEGIN ISOLATION LEVEL REPEATABLE READ", "SELECT count(*) FROM orders"),
    ],
    ids=["that has written", "that has only read and sees no denial"],
)
def test_a_transaction_of_before_the_hold_is_waited_for(
    slice_: RolledOutSlice,
    legacy: psycopg.Connection[Any],
    postgres_url: str,
    begin: str,
    first: str,
) -> None:
    as_ordinary_user(slice_, legacy)
    with closing(psycopg.connect(postgres_url, autocommit=True)) as writer:
        writer.execute(begin)  # type: ignore[arg-type]
        writer.execute(first)  # type: ignore[arg-type]
        switch = threading.Thread(target=slice_.do, args=("switch writes",))
        switch.start()
        legacy.execute("SELECT pg_sleep(0.1)")
        while not is_denied(legacy, "UPDATE orders SET status = 'LATE' WHERE order_no = 'w0'"):
            legacy.execute("SELECT pg_sleep(0.05)")
        legacy.execute("SELECT pg_sleep(0.5)")
        assert slice_.standing.step == "wait-for-transactions"
        if "REPEATABLE" in begin:
            # Its snapshot is of before the hold, so its trigger lets it through: it must be waited for.
            writer.execute("UPDATE orders SET status = 'SLIPPED' WHERE order_no = 'w1'")
        writer.execute("COMMIT")
        switch.join(30)
    assert slice_.standing.writes == "new"
    steps = [line.step for line in slice_.control.rollout_ledger(CONTEXT, REGION)]
    assert steps.index("drain-tail") < steps.index("wait-for-transactions")
    waited = next(
        line.evidence["waited_for_transactions"]
        for line in slice_.control.rollout_ledger(CONTEXT, REGION)
        if line.step == "wait-for-transactions"
    )
    assert waited > 0
