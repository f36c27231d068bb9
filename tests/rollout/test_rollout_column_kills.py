"""A process that is killed at any change while services are moved to other columns, or back: who
goes on ends right, who takes back leaves what was, and services have their views all the time."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from cutline.readmodels import ReadModel, ReadModelColumn, ReadModelVersion
from cutline.readmodels.lines import line_of
from cutline.readmodels.states import States
from cutline.rollout import cancel, ignore_rollout_events
from support.rolled_out import RolledOutSlice, killed_at, with_literal_read_models
from support.rollout_kills import acting
from support.rollout_moves import check_readers_whole, end
from support.soaking import some_in_soak

READ_MODEL = {"url": "sqlite:///readmodel.db", "readers": ["billing"]}
Words = tuple[str, ...]
BEFORE: list[Words] = [("open",), ("stage", "wide"), ("switch reads",), ("stage", "narrow")]
EXPANDED: list[Words] = [*BEFORE, ("expand",)]
CONFIRMED: list[Words] = [*EXPANDED, ("migrate", "billing")]
MOVES: dict[str, tuple[list[Words], Words]] = {
    "expand": (BEFORE, ("expand",)),
    "migrate": (EXPANDED, ("migrate", "billing")),
    "contract": (CONFIRMED, ("contract",)),
    "reverse contract": ([*CONFIRMED, ("contract",)], ("reverse contract",)),
    "reverse reads": (EXPANDED, ("reverse reads",)),
}
"""By name: what comes before a move, and its command."""


def build(
    self: ReadModel,
    spark: object,
    lake: object,
    version: int,
    run_id: str,
    move: int | None = None,
) -> ReadModelVersion:
    """One order; the run `narrow` does not know its total."""
    names = ["subject"] if run_id == "narrow" else ["subject", "total"]
    lines = [line_of([*(b"o1", b"10")[: len(names)], None, b"0"])]
    columns = tuple(ReadModelColumn(name=name, type="string") for name in names)
    states = {name: States(columns, 1, lines) for name in self.names.views}
    return self.build_states(states, version, run_id, move)


def do(slice_: RolledOutSlice, words: Words) -> None:
    command, *arguments = words
    if command == "stage":
        slice_.run(arguments[0])
    slice_.do(command, *([None] if command == "switch reads" else arguments))


def shown(slice_: RolledOutSlice) -> dict[str, list[Any]]:
    """The columns and rows of each view."""
    with closing(sqlite3.connect(slice_.folder / "readmodel.db")) as database:
        names = database.execute("SELECT view_name FROM cutline_read_model_views").fetchall()
        views = {name: database.execute(f'SELECT * FROM "{name}"') for (name,) in names}
        return {
            name: [[c[0] for c in rows.description], *rows.fetchall()]
            for name, rows in views.items()
        }


@pytest.mark.process
@pytest.mark.parametrize("move", some_in_soak(MOVES, {"expand", "contract"}.__contains__))
def test_a_kill_at_any_change_of_columns_is_gone_on_from_or_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, move: str
) -> None:
    with_literal_read_models(monkeypatch)
    monkeypatch.setattr(ReadModel, "build", build)
    before, (command, *arguments) = MOVES[move]
    first = RolledOutSlice(tmp_path / "first", read_model=READ_MODEL)
    for words in before:
        do(first, words)

    def copy(name: str) -> RolledOutSlice:
        shutil.copytree(first.folder, tmp_path / name)
        return RolledOutSlice(tmp_path / name)

    def killed(slice_: RolledOutSlice, at: int, is_recorded: bool) -> bool:
        act = acting(slice_, command, arguments)
        return killed_at(act, slice_.work(), at, before=not is_recorded)

    whole = copy("whole")
    whole.do(command, *arguments)
    tried = 0
    for at in range(1, 9):
        for is_recorded in (False, True):
            on, back = copy(f"{at}-{is_recorded}-on"), copy(f"{at}-{is_recorded}-back")
            if not killed(on, at, is_recorded):
                assert tried >= 1
                return
            check_readers_whole(on)
            if on.standing.plan is None:
                # Killed before its first change, or behind its last.
                continue
            tried += 1
            on.resume()
            assert (end(on), shown(on)) == (end(whole), shown(whole)), (at, is_recorded)
            assert killed(back, at, is_recorded)
            cancel(back.work(), "ops", None, ignore_rollout_events)
            assert (end(back), shown(back)) == (end(first), shown(first)), (at, is_recorded)
            check_readers_whole(back)
