"""A control database of a backup that is older than the newest move of the read model."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from cutline.rollout import PlanRefused
from support.rolled_out import RolledOutSlice, with_literal_read_models

READ_MODEL = {"url": "sqlite:///readmodel.db"}


@pytest.fixture
def older(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RolledOutSlice:
    """A slice in mirror, whose writes were moved to the new side before the backup came back."""
    with_literal_read_models(monkeypatch)
    slice_ = RolledOutSlice(tmp_path, read_model=READ_MODEL)
    slice_.do("open")
    slice_.do("stage", "run-1")
    slice_.do("mirror", 100)
    shutil.copy(tmp_path / "control.db", tmp_path / "backup")
    slice_.do("switch reads", None)
    slice_.do("switch writes")
    shutil.copy(tmp_path / "backup", tmp_path / "control.db")
    return RolledOutSlice(tmp_path)


def by_hand(file: Path, *statements: str) -> None:
    with closing(sqlite3.connect(file)) as database, database:
        for statement in statements:
            database.execute(statement)


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        ("stage", ["run-1"]),
        ("switch reads", [None]),
        ("reverse reads", []),
        ("switch writes", []),
        ("cancel", []),
    ],
)
def test_nothing_is_begun_by_a_row_that_is_older_than_its_read_model(
    older: RolledOutSlice, command: str, arguments: list[object]
) -> None:
    before = older.standing
    with pytest.raises(PlanRefused, match="the database is an older one") as refused:
        older.do(command, *arguments)
    assert "backup" in refused.value.next_step
    assert older.standing == before


def test_the_way_out_that_is_documented_leads_out(older: RolledOutSlice) -> None:
    older.lift_denials()
    by_hand(older.folder / "control.db", "UPDATE cutline_rollouts SET epoch = 9")
    by_hand(older.folder / "readmodel.db", "DELETE FROM cutline_read_model_moves")
    assert older.do("cancel").ending == "cancelled"
    older.do("open")
    older.run("run-2")
    older.carried_on = lambda: "run-2"
    older.do("stage", "run-2")
    older.do("switch reads", None)
    rollout = older.do("switch writes")
    assert (rollout.writes, rollout.epoch) == ("new", 12)
    assert not older.legacy_takes_writes()
