"""A control database whose pages contradict each other is not believed."""

from __future__ import annotations

import datetime as dt
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


def test_one_that_is_whole_opens(database: Path) -> None:
    control = Control.peek(URL, database.parent)
    assert control is not None
    assert [run.run_id for run in control.runs()] == [RUN]
