"""A rollout whose project declares a read model: what a taken-back stage leaves, and views that
somebody changed."""

from __future__ import annotations

import dataclasses
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import yaml
from sqlalchemy import update

from cutline.control.holder import FREE
from cutline.control.models import SLICES
from cutline.errors import ConfigurationError, RunFailed
from cutline.readmodels import ReadModel
from cutline.rollout import cancel, ignore_rollout_events
from cutline.rollout.steps import release
from support.rolled_out import (
    CONTEXT,
    REGION,
    RolledOutSlice,
    literal_build,
    with_literal_read_models,
)

READ_MODEL = {"url": "sqlite:///readmodel.db"}


@pytest.fixture(autouse=True)
def literal_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    with_literal_read_models(monkeypatch)


def test_a_read_model_is_declared_before_a_release_is_read(tmp_path: Path) -> None:
    slice_ = RolledOutSlice(tmp_path, read_model=READ_MODEL)
    slice_.do("open")
    plan = slice_.plan("switch writes")
    assert plan.refused
    assert {guard.name: guard.says for guard in plan.guards}["read model"] == (
        "there is no release to compare"
    )


@pytest.fixture
def slice_(tmp_path: Path) -> RolledOutSlice:
    slice_ = RolledOutSlice(tmp_path, read_model=READ_MODEL)
    slice_.do("open")
    return slice_


def query(slice_: RolledOutSlice, sql: str) -> list[Any]:
    with closing(sqlite3.connect(slice_.folder / "readmodel.db")) as database, database:
        return database.execute(sql).fetchall()


def tables(slice_: RolledOutSlice) -> list[str]:
    names = query(slice_, "SELECT name FROM sqlite_master WHERE name LIKE '%eu-west%'")
    return sorted(name for (name,) in names if "autoindex" not in name)


def fail(patch: pytest.MonkeyPatch, name: str) -> None:
    def failing(*_: object) -> None:
        raise RunFailed("the disk is full")

    patch.setattr(release, name, failing)


def test_a_version_of_a_stage_that_was_taken_back_is_in_nobodys_way(
    slice_: RolledOutSlice, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        fail(patch, "history_positions")
        with pytest.raises(
            RunFailed, match="step record-release failed: the disk is full"
        ) as stopped:
            slice_.do("stage", "run-1")
    assert "stage stands at record-release" in stopped.value.left_behind
    assert stopped.value.next_step == f"cutline rollout resume {CONTEXT} --region {REGION}"
    cancel(slice_.work(), "ops", None, ignore_rollout_events)
    slice_.run("run-2")
    slice_.do("stage", "run-2")
    (staged,) = slice_.control.releases(CONTEXT, REGION)
    assert (staged.release, staged.run_id) == (1, "run-2")
    slice_.do("switch reads", None)
    (view, *_) = tables(slice_)
    assert query(slice_, f'SELECT subject FROM "{view}"') == [("run-2",)]


def test_a_cancelled_rollout_leaves_no_tables_also_none_half_built(
    slice_: RolledOutSlice, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:

        def half_built(self: ReadModel, *arguments: Any) -> None:
            literal_build(self, *arguments)
            query(slice_, "UPDATE cutline_read_model_tables SET whole = 0")
            raise RunFailed("the disk is full")

        patch.setattr(ReadModel, "build", half_built)
        with pytest.raises(RunFailed, match="the disk is full"):
            slice_.do("stage", "run-1")
    cancel(slice_.work(), "ops", None, ignore_rollout_events)
    assert tables(slice_) != []
    slice_.do("cancel")
    assert tables(slice_) == []


def test_a_database_that_services_read_otherwise_is_refused_before_anything(
    slice_: RolledOutSlice,
) -> None:
    slice_.do("stage", "run-1")
    slice_.do("switch reads", None)
    slice_.do("reverse reads")
    before = tables(slice_)
    config = slice_.folder / "cutline.yaml"
    content = yaml.safe_load(config.read_text(encoding="utf-8"))
    content["rehydrations"] = {"desk": READ_MODEL}
    config.write_text(yaml.safe_dump(content), encoding="utf-8")
    slice_ = RolledOutSlice(slice_.folder)
    commands: tuple[tuple[Any, ...], ...] = (
        *(("open",), ("stage", "run-1"), ("switch reads", None), ("cancel",)),
    )
    for words in commands:
        with pytest.raises(
            ConfigurationError,
            match=r"rollout\.read_model\.url is the database of rehydrations\.desk",
        ):
            slice_.do(*words)
    assert tables(slice_) == before


def moved_to_new(slice_: RolledOutSlice) -> None:
    slice_.do("stage", "run-1")
    slice_.do("switch reads", None)
    slice_.do("switch writes")


def test_a_view_that_somebody_changed_does_not_stop_a_completion(slice_: RolledOutSlice) -> None:
    moved_to_new(slice_)
    view = next(name for name in tables(slice_) if not name.endswith("_v1"))
    query(slice_, f'DROP VIEW "{view}"')
    query(slice_, f'CREATE VIEW "{view}" AS SELECT 1 AS subject')
    slice_.do("complete")
    assert (slice_.standing.ending, slice_.standing.plan) == ("complete", None)
    assert query(slice_, f'SELECT subject FROM "{view}"') == [("run-1",)]


def test_a_release_of_before_the_read_model_is_staged_again(
    slice_: RolledOutSlice, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing that shows its tables is begun: behind the journal it could not be ended."""
    declared = slice_.project
    rollout = declared.file.rollout.model_copy(update={"read_model": None})
    file = declared.file.model_copy(update={"rollout": rollout})
    slice_.project = dataclasses.replace(declared, file=file)
    slice_.do("stage", "run-1")
    slice_.do("switch reads", None)
    slice_.project = declared
    plan = slice_.plan("switch writes")
    (guard,) = plan.refused
    assert "was staged before cutline.yaml declared a read model" in guard.says
    assert guard.next_command == f"cutline rollout stage {CONTEXT} --region {REGION} run-1"
    moved_to_new(slice_)
    assert slice_.standing.writes == "new"


def test_views_are_not_moved_by_a_process_that_slept(
    slice_: RolledOutSlice, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another one takes its plan back while it sleeps before it moves the views."""
    slice_.do("stage", "run-1")
    point, slept = ReadModel.point, []

    def sleepy(self: ReadModel, *arguments: Any) -> None:
        if not slept:
            slept.append(1)
            with slice_.control.database.write() as connection:
                connection.execute(update(SLICES).values(**FREE))
            cancel(slice_.work(), "kim", None, ignore_rollout_events)
        point(self, *arguments)

    monkeypatch.setattr(ReadModel, "point", sleepy)
    with pytest.raises(RunFailed):
        slice_.do("switch reads", None)
    assert (slice_.standing.reads, slice_.standing.plan) == ("legacy", None)
    model = slice_.work().read_model
    assert model is not None
    assert model.pointed() is None
