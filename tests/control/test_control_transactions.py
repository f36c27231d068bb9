"""Transactions on the control database: what readers see, and a database that does not answer."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest
from pydantic import SecretStr
from sqlalchemy import func, select

from cutline.control import Control
from cutline.control import database as database_module
from cutline.control.lease import fenced_transaction
from cutline.control.models import SLICES
from cutline.errors import EXIT_FAILED, RunFailed
from support.missing import missing
from support.servers.postgres import PostgresServer

COUNT = select(func.count()).select_from(SLICES)


def test_a_reader_sees_one_state_throughout(control: Control) -> None:
    with control.database.read() as connection:
        assert connection.execute(COUNT).scalar_one() == 0
        with control.lease("fulfilment", "eu-west"):
            assert connection.execute(COUNT).scalar_one() == 0
    assert len(control.slices()) == 1


def test_an_error_rolls_back(control: Control) -> None:
    def write_and_fail() -> None:
        row = {"context": "c", "region": "r", "authority": "legacy", "epoch": 0}
        with control.database.write() as connection:
            control.database.insert_if_missing(connection, SLICES, **row)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write_and_fail()
    assert control.slices() == []


def test_a_lock_that_does_not_end_is_not_waited_for_for_ever(
    control_url: SecretStr, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database_module, "LOCK_SECONDS", 1)
    control = Control.open(control_url, tmp_path)
    with control.lease("fulfilment", "eu-west") as lease:
        with (
            fenced_transaction(control.database, lease),
            pytest.raises(RunFailed, match=r"(?s)control database .* lock") as failed,
        ):
            control.lease("fulfilment", "eu-west").__enter__()
        assert failed.value.exit_code == EXIT_FAILED
        assert "Run the same command again" in failed.value.next_step
        lease.check()


def test_a_file_that_went_away_is_told(tmp_path: Path) -> None:
    control = Control.open(SecretStr("sqlite:///control.db"), tmp_path)
    for file in tmp_path.iterdir():
        file.unlink()
    (tmp_path / "control.db").mkdir()
    with pytest.raises(RunFailed, match="unable to open") as failed:
        control.runs()
    assert str(tmp_path / "control.db") in failed.value.what


@pytest.mark.postgres
def test_a_server_that_went_away_is_told(postgres_server: PostgresServer, tmp_path: Path) -> None:
    name = postgres_server.create_database()
    control = Control.open(SecretStr(postgres_server.url(name)), tmp_path)
    with control.lease("fulfilment", "eu-west"):
        postgres_server.drop_database(name)
        with pytest.raises(RunFailed, match="does not exist") as failed:
            control.remember_extract("c", "r", "s", "1", dt.datetime.now(dt.UTC))
    assert postgres_server.password not in str(failed.value)


def test_a_missing_program_skips_or_where_all_is_required_fails(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("CUTLINE_REQUIRE_ALL", raising=False)
    with pytest.raises(pytest.skip.Exception, match="no server"):
        missing("no server")
    monkeypatch.setenv("CUTLINE_REQUIRE_ALL", "1")
    with pytest.raises(pytest.fail.Exception, match="no server"):
        missing("no server")
