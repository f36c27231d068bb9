"""A process that slept while it staged a release, and wakes when another operator has cancelled it
and perhaps staged another run: it changes nothing of the read model, and says why."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from cutline.control.holder import FREE
from cutline.control.models import SLICES
from cutline.control.rollouts import RolloutChanged
from cutline.readmodels import ReadModel, build
from cutline.rollout import cancel, ignore_rollout_events
from support.rolled_out import CONTEXT, REGION, RolledOutSlice, with_literal_read_models

READ_MODEL = {"url": "sqlite:///readmodel.db"}


@pytest.fixture
def slice_(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RolledOutSlice:
    """A slice that was opened, with two runs."""
    with_literal_read_models(monkeypatch)
    slice_ = RolledOutSlice(tmp_path, read_model=READ_MODEL)
    slice_.do("open")
    slice_.run("run-2")
    return slice_


def cancelled(slice_: RolledOutSlice) -> None:
    cancel(slice_.work(), "kim", None, ignore_rollout_events)


def another_staged(slice_: RolledOutSlice) -> None:
    cancelled(slice_)
    slice_.do("stage", "run-2")


def read_model(slice_: RolledOutSlice) -> list[str]:
    """All that is in the database of the read model."""
    with closing(sqlite3.connect(slice_.folder / "readmodel.db")) as database:
        return list(database.iterdump())


@contextmanager
def asleep_before(
    target: Any, name: str, meanwhile: Callable[[], object], patch: pytest.MonkeyPatch
) -> Iterator[list[str]]:
    """Lets the first process that calls it sleep before, until somebody has done something; whether
    it slept."""
    call, slept = getattr(target, name), []

    def sleepy(*arguments: Any, **named: Any) -> Any:
        if not slept:
            slept.append(name)
            meanwhile()
        return call(*arguments, **named)

    with patch.context() as asleep:
        asleep.setattr(target, name, sleepy)
        yield slept


@pytest.mark.parametrize("meanwhile", [cancelled, another_staged])
@pytest.mark.parametrize(
    ("target", "name"),
    [
        (ReadModel, "drop_unless_of"),
        (ReadModel, "drop"),
        (ReadModel, "build"),
        (build, "_begin"),
        (build, "_fill"),
        (build, "_read_back"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_who_slept_while_it_staged_changes_nothing(
    slice_: RolledOutSlice,
    monkeypatch: pytest.MonkeyPatch,
    target: Any,
    name: str,
    meanwhile: Callable[[RolledOutSlice], None],
) -> None:
    stands: list[Any] = []
    # Something of another run stands under the number, so that there is what to drop.
    literal = ReadModel.build
    slice_.work().declared_read_model.build(None, None, 1, "run-0")  # type: ignore[arg-type]
    assert ReadModel.build is literal

    def move() -> None:
        # Its lease is over while it sleeps.
        with slice_.control.database.write() as connection:
            connection.execute(update(SLICES).values(**FREE))
        meanwhile(slice_)
        stands.extend([slice_.standing, read_model(slice_)])

    with asleep_before(target, name, move, monkeypatch) as slept:
        with pytest.raises(RolloutChanged, match="was carried on by another process") as error:
            slice_.do("stage", "run-1")
        assert slept
    assert error.value.next_step == f"Look at it: cutline rollout show {CONTEXT}"
    assert [slice_.standing, read_model(slice_)] == stands
    if meanwhile is another_staged:
        (release,) = slice_.control.releases(CONTEXT, REGION)
        assert slice_.work().declared_read_model.run_of(1) == release.run_id == "run-2"
