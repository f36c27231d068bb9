"""A process that is killed in the middle of any step of any move: who goes on ends right, and never
do two sides take writes."""

from __future__ import annotations

import dataclasses
import json
import os
import signal
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, event

from cutline.control import Control
from cutline.control.rollouts import Rollout
from cutline.rollout import RolloutWork, ignore_rollout_events, perform
from support.rolled_out import RolledOutSlice, with_literal_read_models
from support.rollout_moves import MOVES, check_one_side_writes, end, prepared

READ_MODEL = {"url": "sqlite:///readmodel.db"}
EVERYWHERE = bool(os.environ.get("CUTLINE_KILL_EVERYWHERE"))
"""Whether a process is killed at each statement, as `make soak` has it, or at one of each step."""


class _CountedControl(Control):
    """A control database that says after how many statements each change of the rollout came."""

    def __init__(self, control: Control, counted: Callable[[], int]) -> None:
        super().__init__(control.database)
        self.changes: list[int] = []
        self._counted = counted

    def change_rollout(self, *arguments: Any, **named: Any) -> Rollout:
        self.changes.append(self._counted())
        return super().change_rollout(*arguments, **named)


def killed_at_statement(
    act: Callable[[RolloutWork], object], work: RolloutWork, at: int | None, changes: Path
) -> bool:
    """Whether a process that acts was killed before its statement number `at` that writes into any
    database. After how many of them each change came, and how many they were, is in `changes`."""
    child = os.fork()
    if child == 0:
        statements = 0

        def count(_: Any, __: Any, statement: str, *___: Any) -> None:
            nonlocal statements
            if statement.lstrip().split(None, 1)[0].upper() not in ("SELECT", "PRAGMA", "BEGIN"):
                statements += 1
                if statements == at:
                    os.kill(os.getpid(), signal.SIGKILL)

        code = 1
        try:
            event.listen(Engine, "before_cursor_execute", count)
            control = _CountedControl(work.control, lambda: statements)
            act(dataclasses.replace(work, control=control))
            changes.write_text(json.dumps([*control.changes, statements]))
            code = 0
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    assert code in (0, -signal.SIGKILL), f"the child failed: {code}"
    return code != 0


def places(changes: Sequence[int]) -> list[int]:
    """The statements to be killed at: all, or the middle one between each change and the next, and
    the second of the last change, which is within its transaction."""
    if EVERYWHERE:
        return list(range(1, changes[-1] + 1))
    between = zip([0, *changes[:-1]], changes, strict=True)
    middles = {(first + last) // 2 + 1 for first, last in between if last > first}
    return sorted(middles | {changes[-2] + 2})


def shown(slice_: RolledOutSlice) -> dict[str, list[Any]]:
    """What each view of the read model shows; none without a read model."""
    database = slice_.folder / "readmodel.db"
    if not database.exists():
        return {}
    with closing(sqlite3.connect(database)) as connection:
        names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'view'").fetchall()
        return {name: connection.execute(f'SELECT * FROM "{name}"').fetchall() for (name,) in names}


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.parametrize("rollout", [{}, {"read_model": READ_MODEL}], ids=["bare", "read model"])
@pytest.mark.parametrize("move", MOVES)
def test_a_kill_within_any_step_is_gone_on_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, move: str, rollout: dict[str, Any]
) -> None:
    with_literal_read_models(monkeypatch)
    _, command, arguments = MOVES[move]

    def acting(slice_: RolledOutSlice) -> Callable[[RolloutWork], object]:
        plan = slice_.plan(command, *arguments)
        return lambda work: perform(work, plan, "ops", None, ignore_rollout_events)

    whole = prepared(tmp_path / "whole", move, **rollout)
    changes = tmp_path / "changes.json"
    assert not killed_at_statement(acting(whole), whole.work(), None, changes)
    counts = json.loads(changes.read_text())
    assert len(counts) > 2
    tried = 0
    for at in places(counts):
        slice_ = prepared(tmp_path / str(at), move, **rollout)
        if not killed_at_statement(acting(slice_), slice_.work(), at, changes):
            # Fewer statements than the first time: some wait for a clock.
            continue
        tried += 1
        check_one_side_writes(slice_)
        if slice_.standing.plan is None and end(slice_) != end(whole):
            slice_.do(command, *arguments)
        elif slice_.standing.plan is not None:
            slice_.resume()
        assert end(slice_) == end(whole), at
        assert shown(slice_) == shown(whole), at
    assert tried >= len(counts) - 1
