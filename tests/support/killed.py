"""Processes that are killed before a write of theirs: into a database, or into files."""

from __future__ import annotations

import dataclasses
import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, event

from cutline.control import Control
from cutline.control.rollouts import Rollout
from cutline.rollout import RolloutWork
from support.forked import exit_code_of

_READS = ("SELECT", "PRAGMA", "BEGIN", "SET", "SHOW")
_REMOVALS = ("os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.truncate")


def killed_at_statement(
    act: Callable[[RolloutWork], object], work: RolloutWork, at: int | None, changes: Path
) -> bool:
    """Whether a process that acts was killed before its statement number `at` that writes into any
    database. After how many of them each change came, and how many they were, is in `changes`."""

    def run(writes: _Writes) -> None:
        def count(_: Any, __: Any, statement: str, *___: Any) -> None:
            if statement.lstrip().split(None, 1)[0].upper() not in _READS:
                writes.count()

        event.listen(Engine, "before_cursor_execute", count)
        control = _CountedControl(work.control, writes)
        act(dataclasses.replace(work, control=control))
        writes.at = None
        changes.write_text(json.dumps([*control.changes, writes.counted]))

    return _killed(run, at)


def killed_at_file(act: Callable[[RolloutWork], object], work: RolloutWork, at: int) -> bool:
    """Whether a process that acts was killed before its change number `at` of any file or folder.

    What databases do to their own files is none.
    """

    def run(writes: _Writes) -> None:
        def count(happens: str, arguments: tuple[Any, ...]) -> None:
            is_write = happens == "open" and bool(arguments[2] & (os.O_WRONLY | os.O_RDWR))
            if is_write or happens in _REMOVALS:
                writes.count()

        sys.addaudithook(count)
        act(work)
        writes.at = None

    return _killed(run, at)


class _Writes:
    """Counts the writes of this process, and ends it before number `at`."""

    def __init__(self, at: int | None) -> None:
        self.at, self.counted = at, 0

    def count(self) -> None:
        self.counted += 1
        if self.counted == self.at:
            os.kill(os.getpid(), signal.SIGKILL)


class _CountedControl(Control):
    """A control database that says after how many writes each change of the rollout came."""

    def __init__(self, control: Control, writes: _Writes) -> None:
        super().__init__(control.database)
        self.changes: list[int] = []
        self._writes = writes

    def change_rollout(self, *arguments: Any, **named: Any) -> Rollout:
        self.changes.append(self._writes.counted)
        return super().change_rollout(*arguments, **named)


def _killed(run: Callable[[_Writes], None], at: int | None) -> bool:
    code = exit_code_of(lambda: run(_Writes(at)))
    assert code in (0, -signal.SIGKILL), f"the child failed: {code}"
    return code != 0
