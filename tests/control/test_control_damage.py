"""A control database is not believed whose pages contradict each other, or which lost tables."""

from __future__ import annotations

import contextlib
import datetime as dt
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import SecretStr

from cutline.control import Control, RunKey
from cutline.errors import ConfigurationError

URL = SecretStr("sqlite:///control.db")
RUN = "fulfilment-eu-west-0123456789ab"


@pytest.fixture
def database(tmp_path: Path) -> Path:
    control = Control.open(URL, tmp_path)
    with control.lease("fulfilment", "eu-west") as lease:
        key = RunKey("fulfilment", "eu-west", RUN, {})
        control.begin(key, dt.datetime(2026, 11, 1, tzinfo=dt.UTC), lease)
    return tmp_path / "control.db"


@pytest.mark.parametrize("open_it", [Control.open, Control.peek])
def test_a_run_id_that_was_changed_is_noticed_and_what_to_do_is_said(
    database: Path, open_it: object
) -> None:
    assert callable(open_it)
    content = database.read_bytes()
    at = content.index(RUN.encode())
    database.write_bytes(content[:at] + b"F" + content[at + 1 :])
    with pytest.raises(ConfigurationError, match=r"control\.db is damaged: ") as refused:
        open_it(URL, database.parent)
    assert "Restore the file from a copy" in refused.value.next_step
    assert "Traceback" not in refused.value.what


@pytest.mark.parametrize("open_it", [Control.open, Control.peek])
@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("DELETE FROM cutline_schema", "table cutline_schema has 0 rows, and not one"),
        ("DROP TABLE cutline_schema", "table cutline_schema is not there"),
        ("DROP TABLE cutline_runs", "it has no table cutline_runs"),
        ("DROP TABLE cutline_client_quotas", "it has no table cutline_client_quotas"),
    ],
)
def test_one_that_is_half_restored_does_not_say_that_nothing_ran(
    database: Path, open_it: Callable[[SecretStr, Path], object], statement: str, says: str
) -> None:
    with contextlib.closing(sqlite3.connect(database, isolation_level=None)) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute(statement)
    with pytest.raises(ConfigurationError, match=r"control\.db is damaged: ") as refused:
        open_it(URL, database.parent)
    assert says in refused.value.what
    assert "Restore the file from a copy" in refused.value.next_step


def test_an_older_one_that_lost_a_table_is_damaged(database: Path) -> None:
    with contextlib.closing(sqlite3.connect(database, isolation_level=None)) as connection:
        connection.execute("UPDATE cutline_schema SET version_num = '0001'")
        connection.execute("DROP TABLE cutline_meanings")
        connection.execute("DROP TABLE cutline_stages")
    with pytest.raises(ConfigurationError) as refused:
        Control.open(URL, database.parent)
    assert "control.db is damaged" in refused.value.what


def test_one_that_is_whole_opens(database: Path) -> None:
    control = Control.peek(URL, database.parent)
    assert control is not None
    assert [run.run_id for run in control.runs()] == [RUN]
