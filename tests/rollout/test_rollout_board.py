"""What the board says of a slice that nobody can write, and of one that is declared no more."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from cutline import Project, RolloutOverview
from cutline.errors import ConfigurationError, RunFailed
from support.command_line import CommandLine
from support.rolled_out import CONTEXT, REGION, SQLITE, RolledOutSlice, without_spark
from support.rollout_moves import prepared


@pytest.fixture(autouse=True)
def literal_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    without_spark(monkeypatch)


def overview(folder: Path) -> RolloutOverview:
    (of_slice,) = [
        o for o in Project(folder).rollouts() if (o.context, o.region) == (CONTEXT, REGION)
    ]
    return of_slice


def undeclare(slice_: RolledOutSlice) -> None:
    """Takes the region out of cutline.yaml."""
    file = slice_.folder / "cutline.yaml"
    document = yaml.safe_load(file.read_text("utf-8"))
    del document["regions"][REGION]
    file.write_text(yaml.safe_dump(document), "utf-8")


def test_it_says_that_the_legacy_refuses_what_it_was_given_back(tmp_path: Path) -> None:
    slice_ = RolledOutSlice(tmp_path, legacy_writes=SQLITE | {"release": "SELECT 1"})
    slice_.do("open")
    slice_.do("stage", "run-1")
    slice_.do("switch reads", None)
    slice_.do("switch writes")
    with pytest.raises(RunFailed):
        slice_.do("reverse writes")
    board = overview(slice_.folder)
    assert board.written_by == "legacy, which refuses them still by a denial of epoch 2"
    assert f"cutline rollout resume {CONTEXT} --region {REGION}" in board.next


def test_it_shows_the_denial(tmp_path: Path, command_line: CommandLine) -> None:
    slice_ = prepared(tmp_path / "slice", "complete")
    shown = command_line("rollout", "show", "--project", slice_.folder)
    line = next(line for line in shown.stdout.splitlines() if line.split()[:2] == [CONTEXT, REGION])
    denial = slice_.standing.denial
    assert denial is not None
    assert str(denial) in line.split()
    assert "denial" in shown.stdout.splitlines()[0]


def test_a_slice_with_a_rollout_stays_when_it_is_declared_no_more(
    tmp_path: Path, command_line: CommandLine
) -> None:
    slice_ = prepared(tmp_path / "slice", "complete")
    before = overview(slice_.folder)
    undeclare(slice_)
    after = overview(slice_.folder)
    assert not after.is_declared
    assert (after.written_by, after.epoch, after.denial) == ("new", before.epoch, before.denial)
    assert after.next == ()
    named = Project(slice_.folder).rollouts(CONTEXT, region=REGION)
    assert [(o.region, o.stands) for o in named] == [(REGION, after.stands)]
    assert after.as_json()["is_declared"] is False
    shown = command_line("rollout", "show", "--project", slice_.folder)
    assert shown.returncode == 0
    assert f"{CONTEXT}/{REGION} is not in cutline.yaml any more: declare it again" in shown.stdout
    with pytest.raises(ConfigurationError, match="region 'nowhere'"):
        Project(slice_.folder).rollouts(region="nowhere")


def test_a_cancelled_rollout_of_a_slice_that_is_gone_is_not_shown(tmp_path: Path) -> None:
    slice_ = prepared(tmp_path / "slice", "mirror")
    slice_.do("cancel")
    undeclare(slice_)
    assert [o for o in Project(slice_.folder).rollouts() if o.region == REGION] == []


def test_behind_a_no_go_the_next_run_is_one_that_leads_on(tmp_path: Path) -> None:
    slice_ = prepared(tmp_path / "slice", "mirror")
    slice_.run("run-9", decision="no-go")
    after = overview(slice_.folder)
    assert f"cutline run {CONTEXT} --region {REGION} --again" in after.next
