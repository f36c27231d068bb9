"""A process that is killed while it opens a rollout: the command is repeated, and there is one
slice, whole, opened once."""

from __future__ import annotations

from pathlib import Path

import pytest

from cutline.rollout.performing import PlanRefused
from support.killed import killed_at_statement
from support.rolled_out import CONTEXT, REGION, RolledOutSlice, without_spark
from support.rollout_kills import acting
from support.rollout_moves import copied, stand

STANDINGS: dict[str, list[tuple[str, list[object]]]] = {
    "never opened": [],
    "cancelled": [("open", []), ("stage", ["run-1"]), ("cancel", [])],
}


def opened(slice_: RolledOutSlice) -> int:
    """How often the slice was opened, by its ledger; 0 is that of a slice without a row."""
    ledger = slice_.control.rollout_ledger(CONTEXT, REGION)
    versions = [line.version for line in ledger]
    assert versions == sorted(set(versions), reverse=True)
    row = slice_.control.rollout(CONTEXT, REGION)
    rows = [] if row is None else [row]
    # The row and its newest line are of one change.
    assert [(r.version, r.epoch) for r in rows] == [(x.version, x.epoch) for x in ledger[:1]]
    return len([line for line in ledger if line.event == "opened"])


@pytest.mark.process
@pytest.mark.parametrize("standing", STANDINGS)
def test_a_kill_at_any_statement_of_open_leaves_a_slice_that_is_open_or_was_never_touched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, standing: str
) -> None:
    without_spark(monkeypatch)
    first = stand(tmp_path / "first", STANDINGS[standing])
    before = opened(first)
    epoch = first.standing.epoch if before else 0
    outcomes = []
    for at in range(1, 30):
        slice_ = copied(first.folder, tmp_path / str(at))
        act = acting(slice_, "open", ())
        if not killed_at_statement(act, slice_.work(), at, tmp_path / "changes.json"):
            break
        is_open = opened(slice_) == before + 1
        outcomes.append(is_open)
        if is_open:
            with pytest.raises(PlanRefused, match="its rollout is open"):
                slice_.do("open")
        else:
            untouched = first.control.rollout(CONTEXT, REGION)
            assert slice_.control.rollout(CONTEXT, REGION) == untouched
            slice_.do("open")
        assert opened(slice_) == before + 1
        row = slice_.standing
        assert (row.reads, row.writes, row.ending, row.plan) == ("legacy", "legacy", None, None)
        assert row.epoch == epoch + 1
        slice_.do("stage", "run-2")
        assert slice_.standing.staged is not None
    # Killed before its one change and behind it, and never in between.
    assert outcomes == sorted(outcomes)
    assert set(outcomes) == {False, True}
