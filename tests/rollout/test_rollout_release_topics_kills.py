"""A process that is killed while topics of a release are made or removed: who goes on ends with
those of the releases that stay, each record once, and touches those of nobody else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cutline.rollout import RolloutWork, cancel, ignore_rollout_events
from support.killed import killed_at_file
from support.literal_topics import check_topics, topic_files, with_literal_topics
from support.rolled_out import CONTEXT, RolledOutSlice, killed_at
from support.rollout_kills import acting, check_gone_on
from support.rollout_moves import copied, stand
from support.soaking import some_in_soak

Command = tuple[str, list[object]]
STAGED: list[Command] = [("open", []), ("stage", ["run-1"])]
READ: list[Command] = [*STAGED, ("switch reads", [None])]
AGAIN: list[Command] = [*READ, ("stage", ["run-2"])]
MOVES: dict[str, tuple[list[Command], str, list[object], set[int]]] = {
    "stage": ([("open", [])], "stage", ["run-1"], {1}),
    "stage another": (READ, "stage", ["run-2"], {1, 2}),
    "switch writes": (READ, "switch writes", [], {1, 2}),
    "complete": (
        [*AGAIN, ("switch reads", [None]), ("switch writes", [])],
        "complete",
        [],
        {3},
    ),
    "cancel": (AGAIN, "cancel", [], set()),
}
"""By name: what comes before a move, its command, its arguments, and which releases have topics
then."""

OTHERS = (
    f"retail.release.{CONTEXT}.1.us-east.customer_order.synthetic",
    f"retail.release.{CONTEXT}.1.eu-west.north.customer_order.state",
    "retail.release.sales.1.eu-west.customer_order.synthetic",
    f"retail.{CONTEXT}.customer_order.synthetic",
)
"""Topics of other releases, of other regions and contexts, and of all."""

Kill = Callable[[Callable[[RolloutWork], object], RolloutWork, int], bool]


def before_change(act: Callable[[RolloutWork], object], work: RolloutWork, at: int) -> bool:
    """What the step did is done, and not recorded."""
    return killed_at(act, work, at, before=True)


def after_change(act: Callable[[RolloutWork], object], work: RolloutWork, at: int) -> bool:
    """The step is recorded, and the next one not begun."""
    return killed_at(act, work, at, before=False)


KILLS: list[Kill] = [before_change, killed_at_file, after_change]


@pytest.fixture(autouse=True)
def literal_topics(monkeypatch: pytest.MonkeyPatch) -> None:
    with_literal_topics(monkeypatch)


OFTEN = [("stage", killed_at_file), ("cancel", killed_at_file)]
"""What is killed in each run of the tests; all else in `make soak`."""


def prepared(folder: Path, commands: list[Command]) -> RolledOutSlice:
    topics = {"path": "topics", "prefix": "retail", "partitions": 2}
    slice_ = stand(folder, commands, topics=topics, release_topics=True)
    for topic in OTHERS:
        (folder / "topics" / topic).mkdir(parents=True)
        (folder / "topics" / topic / "00000.jsonl").write_bytes(b'{"partition":0,"offset":0}\n')
    return slice_


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.parametrize(
    ("move", "kill"),
    # What `switch writes` does beside topics is killed where it has none.
    some_in_soak(
        [(m, k) for m in MOVES for k in KILLS if m != "switch writes" or k is killed_at_file],
        lambda move, kill: (move, kill) in OFTEN,
    ),
)
def test_a_kill_while_topics_come_or_go_is_gone_on_from(
    tmp_path: Path, move: str, kill: Kill
) -> None:
    commands, command, arguments, releases = MOVES[move]
    first = prepared(tmp_path / "first", commands)
    whole = copied(first.folder, tmp_path / "whole")
    whole.do(command, *arguments)
    assert check_topics(whole) == releases
    files = topic_files(whole)
    assert {f"{topic}/" for topic in OTHERS} < files.keys()
    tried = 0
    for at in range(1, 200):
        slice_ = copied(first.folder, tmp_path / str(at))
        if not kill(acting(slice_, command, arguments), slice_.work(), at):
            break
        tried += 1
        check_gone_on(slice_, command, arguments, whole)
        assert check_topics(slice_) == releases, at
        assert topic_files(slice_) == files, at
    assert tried >= 2


@pytest.mark.slow
@pytest.mark.process
def test_what_a_stage_left_that_was_killed_and_cancelled_is_in_no_release(tmp_path: Path) -> None:
    first = prepared(tmp_path / "first", [("open", [])])
    whole = copied(first.folder, tmp_path / "whole")
    whole.do("stage", "run-2")
    tried = 0
    for at in range(1, 200):
        slice_ = copied(first.folder, tmp_path / str(at))
        if not killed_at_file(acting(slice_, "stage", ["run-1"]), slice_.work(), at):
            break
        if slice_.standing.plan is None:
            continue
        tried += 1
        cancel(slice_.work(), "ops", None, ignore_rollout_events)
        back = copied(slice_.folder, tmp_path / f"{at}-back")
        back.do("cancel")
        assert check_topics(back) == set(), at
        assert {name.split("/")[0] for name in topic_files(back)} == set(OTHERS), at
        slice_.do("stage", "run-2")
        assert check_topics(slice_) == {1}, at
        assert topic_files(slice_) == topic_files(whole), at
    assert tried >= 1
