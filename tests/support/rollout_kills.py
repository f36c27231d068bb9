"""A move of a rollout is killed at each place, and gone on from: it ends as one that was not."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from sqlalchemy import NullPool, create_engine, inspect, text

from cutline.control.address import address
from cutline.rollout import RolloutWork, ignore_rollout_events, perform, resume
from support.killed import killed_at_statement
from support.rolled_out import CONTEXT, REGION, RolledOutSlice, killed_at
from support.rollout_moves import MOVES, check_one_side_writes, end

Prepare = Callable[[str], RolledOutSlice]
"""Gives a slice just before the move, by a name that no slice before had."""

EVERYWHERE = bool(os.environ.get("CUTLINE_KILL_EVERYWHERE"))
"""Whether a process is killed at each statement, as `make soak` has it, or at one of each step."""


def acting(
    slice_: RolledOutSlice, command: str, arguments: Sequence[object]
) -> Callable[[RolloutWork], object]:
    """What a process does that performs the plan that a command has now."""
    plan = slice_.plan(command, *arguments)
    return lambda work: perform(work, plan, "ops", None, ignore_rollout_events)


def killed_at_step(slice_: RolledOutSlice, command: str, step: str) -> RolledOutSlice:
    """The slice, once a process that performs a command was killed when it came to the step."""
    at = slice_.plan(command).place(step) + 1
    assert killed_at(acting(slice_, command, ()), slice_.work(), at, before=False)
    assert slice_.standing.step == step
    return slice_


def killed_before_record(slice_: RolledOutSlice, move: str, step: str) -> RolledOutSlice:
    """The slice, once the process that makes the move was killed before it recorded the step."""
    _, command, arguments = MOVES[move]
    at = slice_.plan(command, *arguments).place(step) + 2
    assert killed_at(acting(slice_, command, arguments), slice_.work(), at, before=True)
    assert slice_.standing.step == step
    return slice_


def check_gone_on(
    slice_: RolledOutSlice, command: str, arguments: Sequence[object], whole: RolledOutSlice
) -> None:
    """One side writes behind a kill, and gone on with it ends as the whole that was not killed."""
    check_one_side_writes(slice_)
    if slice_.standing.plan is not None:
        slice_.resume()
    elif outcome(slice_) != outcome(whole):
        slice_.do(command, *arguments)
    assert outcome(slice_) == outcome(whole), slice_.folder


def check_kills_at_changes(prepare: Prepare, move: str) -> None:
    """Killed before each change of the row, and behind the first and the last two."""
    whole = prepare("whole")
    _, command, arguments = MOVES[move]
    whole.do(command, *arguments)
    changes = len([x for x in whole.control.rollout_ledger(CONTEXT, REGION) if x.command == move])
    assert changes >= 2
    for at in range(1, changes + 1):
        # Right behind a change nothing has happened yet that is not recorded.
        for before in (True, False) if at in (1, changes - 1, changes) else (True,):
            slice_ = prepare(f"{at}-{before}")
            act = acting(slice_, command, arguments)
            assert killed_at(act, slice_.work(), at, before=before)
            check_one_side_writes(slice_)
            if slice_.standing.plan is None:
                assert at in (1, changes), "only the first and the last leave nothing under way"
                if at == 1:
                    slice_.do(command, *arguments)
            else:
                # Killed again where it goes on, and gone on with once more.
                killed_at(
                    lambda w: resume(w, "ops", None, ignore_rollout_events),
                    slice_.work(),
                    1,
                    before=True,
                )
                check_one_side_writes(slice_)
                slice_.resume()
            assert outcome(slice_) == outcome(whole), (at, before)


def check_kills_within(prepare: Prepare, move: str, changes: Path) -> None:
    """Killed in the middle of each step; `changes` is a file for what the process counts."""
    _, command, arguments = MOVES[move]
    whole = prepare("whole")
    act = acting(whole, command, arguments)
    assert not killed_at_statement(act, whole.work(), None, changes)
    counts = json.loads(changes.read_text())
    assert len(counts) > 2
    tried = 0
    for at in places(counts):
        slice_ = prepare(str(at))
        act = acting(slice_, command, arguments)
        if not killed_at_statement(act, slice_.work(), at, changes):
            # Fewer statements than the first time: some wait for a clock.
            continue
        tried += 1
        check_gone_on(slice_, command, arguments, whole)
    assert tried >= len(counts) - 1


def places(changes: Sequence[int]) -> list[int]:
    """The statements to be killed at: all, or the middle one between each change and the next, and
    the second of the last change, which is within its transaction."""
    if EVERYWHERE:
        return list(range(1, changes[-1] + 1))
    between = zip([0, *changes[:-1]], changes, strict=True)
    middles = {(first + last) // 2 + 1 for first, last in between if last > first}
    return sorted(middles | {changes[-2] + 2})


def outcome(slice_: RolledOutSlice) -> tuple[object, ...]:
    """Where the rollout stands, whose run is staged and what services read."""
    runs = {x.release: x.run_id for x in slice_.control.releases(CONTEXT, REGION)}
    return *end(slice_), runs.get(slice_.standing.staged or 0), shown(slice_)


def shown(slice_: RolledOutSlice) -> dict[str, list[Any]]:
    """What each view of the read model shows; none without a read model."""
    section = slice_.project.file.rollout.read_model
    if section is None:
        return {}
    database = address(section.url, slice_.folder)
    if database.file is not None and not database.file.exists():
        return {}
    engine = create_engine(database.url, poolclass=NullPool)
    with engine.connect() as connection:
        names = sorted(inspect(connection).get_view_names())
        return {
            name: [tuple(row) for row in connection.execute(text(f'SELECT * FROM "{name}"'))]
            for name in names
        }
