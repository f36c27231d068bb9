"""Every command that a guard or a failed step gives can be typed as it stands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from cutline.control.rollouts import Rollout
from cutline.errors import CutlineError
from cutline.results.project import CertificateRow
from cutline.rollout import Guard, guards
from cutline.rollout.steps import STEPS
from support.rolled_out import CONTEXT, REGION, RolledOutSlice, without_spark
from support.typed_commands import UsageError, check_typed

RUN = "run-1"


@pytest.fixture
def slice_(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RolledOutSlice:
    without_spark(monkeypatch)
    return RolledOutSlice(tmp_path)


def commands(text: str) -> list[str]:
    """The commands of a sentence."""
    return [c.rstrip(".") for c in re.findall(r"cutline [a-z][^()]*?(?=\)| \(|$)", text)]


def refused(slice_: RolledOutSlice) -> Iterator[Guard]:
    """Guards that refuse, of plans before a rollout is opened, without a release, and behind."""
    moves: list[tuple[str, list[object]]] = [
        *(("stage", [RUN]), ("mirror", [5]), ("switch reads", [None]), ("switch writes", [])),
        *(("reverse reads", []), ("reverse writes", []), ("complete", []), ("cancel", [])),
    ]
    slice_.run("run-2", decision="no-go")
    for prepare in ([], ["open"], ["stage", RUN], ["switch reads", 50], ["switch reads", 5]):
        if prepare:
            plan = slice_.plan(str(prepare[0]), *prepare[1:])
            if not plan.refused:
                slice_.do(str(prepare[0]), *prepare[1:])
        for name, arguments in moves:
            yield from slice_.plan(name, *arguments).refused
    yield from slice_.plan("stage", "run-2").refused


def test_what_a_guard_gives_can_be_typed(slice_: RolledOutSlice) -> None:
    next_commands = {g.next_command for g in refused(slice_) if g.next_command}
    typed = [command for text in next_commands for command in commands(text)]
    assert {command.split()[1] for command in typed} >= {"rollout", "run", "show"}
    for command in typed:
        check_typed(command)


def test_of_a_violated_certificate_it_is_the_certificate(
    slice_: RolledOutSlice, monkeypatch: pytest.MonkeyPatch
) -> None:
    slice_.do("open")
    record = slice_.control.run(RUN)
    assert record is not None
    violated = CertificateRow(obligation="O1", says="all rows", status="violated", by="counts")
    project = record.results()["project"].model_copy(update={"certificate": (violated,)})
    with monkeypatch.context() as patch:
        patch.setattr(type(record), "result_of", lambda *_: project)
        patch.setattr(guards, "is_published", lambda *_: (True, "read back"))
        (guard,) = [g for g in guards.stays_releasable(slice_.work(), record) if not g.passed]
    assert guard.next_command == f"cutline certify {RUN}"
    check_typed(guard.next_command)


def test_what_a_failed_step_gives_can_be_typed(slice_: RolledOutSlice) -> None:
    slice_.do("open")
    slice_.do("stage", RUN)
    slice_.do("switch reads", None)
    slice_.carried_on = lambda: "run-2"
    slice_.run("run-2", decision="no-go")
    work = slice_.work()
    assert isinstance(work.rollout, Rollout)
    with pytest.raises(CutlineError, match="NO-GO") as failed:
        STEPS["drain-tail"].perform(work)
    (command,) = commands(failed.value.next_step)
    check_typed(command)


@pytest.mark.parametrize(
    "command",
    [f"cutline certify --run {RUN}", "cutline rollut", f"cutline rollout stage {CONTEXT} {RUN}"],
)
def test_a_command_that_cannot_be_typed_is_found(command: str) -> None:
    with pytest.raises(UsageError):
        check_typed(command)


@pytest.mark.parametrize(
    "command",
    [
        f"cutline rollout mirror {CONTEXT} --region {REGION} 5 --by ''",
        f"cutline rollout open {CONTEXT} --region {REGION} --why ' '",
        f"cutline rollout settle {CONTEXT} --region {REGION} ID --why ''",
        f"cutline exceptions assign {CONTEXT} --region {REGION} ID --to ''",
    ],
)
def test_nobody_answers_for_nothing(command: str) -> None:
    with pytest.raises(UsageError, match="it is empty"):
        check_typed(command)


def test_the_board_gives_commands_that_can_be_typed(slice_: RolledOutSlice) -> None:
    from cutline.api.rollouts.board import board

    for prepare in ([], ["open"], ["stage", RUN], ["switch reads", 5], ["switch reads", None]):
        if prepare:
            slice_.do(str(prepare[0]), *prepare[1:])
        for overview in board(slice_.control, [(CONTEXT, REGION)], lambda _: slice_.project):
            for command in overview.next:
                check_typed(command)
