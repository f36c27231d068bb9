"""What a plan asks for is looked at again when it is performed: hours may lie between, and the
legacy, or somebody in the read model, may have moved meanwhile."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from cutline.errors import RunFailed
from cutline.rollout import PlanRefused, ignore_rollout_events, perform, plan_resume
from cutline.rollout.legacy import LegacyDatabase
from support.rolled_out import (
    RolledOutSlice,
    with_literal_read_models,
    without_spark,
)
from support.rollout_kills import killed_at_step
from support.rollout_moves import prepared

READ_MODEL = {"url": "sqlite:///reading.db"}


@pytest.fixture
def staged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RolledOutSlice:
    with_literal_read_models(monkeypatch)
    slice_ = RolledOutSlice(tmp_path, read_model=READ_MODEL)
    slice_.do("open")
    slice_.do("stage", "run-1")
    return slice_


def empty_tables(slice_: RolledOutSlice) -> None:
    """Somebody deletes what the first release's tables hold."""
    with closing(sqlite3.connect(slice_.folder / "reading.db")) as tables, tables:
        named = "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE '%v1'"
        for (name,) in tables.execute(named).fetchall():
            tables.execute(f'DELETE FROM "{name}"')


@pytest.mark.parametrize(("command", "arguments"), [("mirror", [5]), ("switch reads", [None])])
def test_readers_are_not_sent_to_tables_that_were_emptied_since_the_plan(
    staged: RolledOutSlice, command: str, arguments: list[object]
) -> None:
    work, plan = staged.work(), staged.plan(command, *arguments)
    assert not plan.refused
    empty_tables(staged)
    with pytest.raises(PlanRefused, match="read model"):
        perform(work, plan, "ops", None, ignore_rollout_events)
    assert staged.standing.reads == "legacy"


def test_a_rollout_does_not_end_on_tables_that_somebody_wrote(staged: RolledOutSlice) -> None:
    staged.do("switch reads", None)
    staged.do("switch writes")
    plan = staged.plan("complete")
    assert not plan.refused
    empty_tables(staged)
    with pytest.raises(PlanRefused, match="read model"):
        perform(staged.work(), plan, "ops", None, ignore_rollout_events)
    assert staged.standing.ending is None
    assert "read model" in [guard.name for guard in staged.plan("complete").refused]
    back = staged.plan("reverse writes")
    assert not back.refused
    says = next(guard.says for guard in back.guards if guard.name == "read model")
    assert "was removed by no event" in says


def test_writes_are_not_switched_over_tables_that_were_emptied_meanwhile(
    staged: RolledOutSlice,
) -> None:
    staged.do("switch reads", None)

    def emptied() -> str:
        empty_tables(staged)
        return "run-1"

    staged.carried_on = emptied
    with pytest.raises(RunFailed, match="check-owed failed"):
        staged.do("switch writes")
    assert staged.standing.writes == "legacy"
    assert staged.legacy_takes_writes()


def killed_and_lifted(folder: Path, step: str) -> RolledOutSlice:
    """A slice whose `switch writes` was killed when it came to the step, and whose denial somebody
    removed from the legacy since."""
    slice_ = killed_at_step(prepared(folder, "switch writes"), "switch writes", step)
    slice_.lift_denials()
    return slice_


@pytest.mark.process
def test_a_denial_that_was_lifted_before_the_journal_takes_the_move_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_spark(monkeypatch)
    slice_ = killed_and_lifted(tmp_path / "slice", "journal")
    dry = plan_resume(slice_.work())
    assert [guard.name for guard in dry.refused] == ["denial"]
    with pytest.raises(RunFailed, match="is gone from the legacy"):
        slice_.resume()
    assert (slice_.standing.writes, slice_.standing.plan) == ("legacy", None)
    assert slice_.legacy_takes_writes()


@pytest.mark.process
def test_the_new_side_is_not_given_writes_that_the_legacy_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_spark(monkeypatch)
    slice_ = killed_and_lifted(tmp_path / "slice", "flip")
    with pytest.raises(RunFailed, match="Writes are not given to the new side") as failed:
        slice_.resume()
    assert "cutline rollout decisions" in (failed.value.next_step or "")
    assert (slice_.standing.writes, slice_.standing.step) == ("held", "flip")
    legacy, holding = slice_.work().legacy, slice_.project.file.rollout.legacy_writes
    assert holding is not None
    denial = slice_.standing.denial
    legacy.tell("hold", holding.hold, epoch=denial, seconds=60)
    with pytest.raises(RunFailed, match="ends by itself"):
        slice_.resume()
    legacy.tell("freeze", holding.freeze, epoch=denial)
    slice_.resume()
    assert slice_.standing.writes == "new"
    assert not slice_.legacy_takes_writes()


def test_the_command_behind_an_undone_switch_of_writes_is_one_that_is_accepted(
    staged: RolledOutSlice, monkeypatch: pytest.MonkeyPatch
) -> None:
    staged.do("switch reads", None)
    staged.run("run-2")
    staged.carried_on = lambda: "run-2"
    tell = LegacyDatabase.tell

    def no_freeze(self: LegacyDatabase, name: str, *arguments: object, **values: object) -> object:
        if name == "freeze":
            raise RunFailed("no answer")
        return tell(self, name, *arguments, **values)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(LegacyDatabase, "tell", no_freeze)
        with pytest.raises(RunFailed, match="freeze-legacy failed") as failed:
            staged.do("switch writes")
    assert "cutline rollout switch reads" in (failed.value.next_step or "")
    assert not staged.plan("switch reads", None).refused
    staged.do("switch reads", None)
    assert not staged.plan("switch writes").refused
