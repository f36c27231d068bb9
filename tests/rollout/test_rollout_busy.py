"""While another process works on the slice a plan is neither taken back nor gone on with: whoever
types that is told to wait."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from cutline.control import Control, Lease
from cutline.errors import RunFailed, SliceBusy
from cutline.rollout import cancel, ignore_rollout_events, perform, performing
from support.rolled_out import CONTEXT, REGION, with_literal_read_models
from support.rollout_kills import killed_before_record
from support.rollout_moves import prepared

PLACE = f"{CONTEXT} --region {REGION}"


@pytest.fixture(autouse=True)
def impatience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody is waited for."""
    with_literal_read_models(monkeypatch)

    @contextmanager
    def lease_at_once(control: Control, context: str, region: str, _: float) -> Iterator[Lease]:
        with control.lease(context, region) as lease:
            yield lease

    monkeypatch.setattr(performing, "patient_lease", lease_at_once)


@pytest.mark.process
@pytest.mark.parametrize(
    ("move", "step"),
    [
        ("switch writes", "hold-legacy"),
        ("switch writes", "catch-up"),
        ("switch writes", "journal"),
        ("switch reads", "set-reads"),
        ("complete", "journal"),
    ],
)
def test_who_resumes_what_another_process_does_is_told_to_wait(
    tmp_path: Path, move: str, step: str
) -> None:
    slice_ = killed_before_record(prepared(tmp_path / "slice", move), move, step)
    stands, denials = slice_.standing, slice_.denials()
    for act in (
        lambda: slice_.resume(),
        lambda: cancel(slice_.work(), "ops", None, ignore_rollout_events),
    ):
        with slice_.control.lease(CONTEXT, REGION), pytest.raises(SliceBusy) as busy:
            act()
        assert "is being worked on by" in busy.value.what
        assert busy.value.next_step.startswith("Wait until")
        assert "rollout cancel" not in busy.value.next_step
        assert (slice_.standing, slice_.denials()) == (stands, denials)
    slice_.resume()


@pytest.mark.process
def test_a_run_that_another_process_makes_meanwhile_takes_back_nothing(tmp_path: Path) -> None:
    slice_ = killed_before_record(
        prepared(tmp_path / "slice", "switch writes"), "switch writes", "catch-up"
    )
    stands = slice_.standing

    def busy() -> str:
        raise SliceBusy("The slice is being worked on by process 7.", next_step="Wait.")

    slice_.carried_on = busy
    with pytest.raises(SliceBusy) as failed:
        slice_.resume()
    assert failed.value.left_behind == (
        "switch writes stands at catch-up, and this process recorded nothing."
    )
    assert slice_.standing == stands


def test_what_cannot_be_taken_back_meanwhile_says_to_wait(tmp_path: Path) -> None:
    slice_ = prepared(tmp_path / "slice", "switch writes")
    plan = slice_.plan("switch writes")
    leases = []

    def taken_meanwhile(event: object) -> None:
        if getattr(event, "step", None) == "journal" and not leases:
            lease = slice_.control.lease(CONTEXT, REGION)
            lease.__enter__()
            leases.append(lease)

    with pytest.raises(RunFailed) as failed:
        perform(slice_.work(), plan, "ops", None, taken_meanwhile)
    leases[0].__exit__(None, None, None)
    assert "And it could not be undone" in failed.value.what
    assert failed.value.next_step == (
        f"Wait until who works on the slice has ended. Then: cutline rollout cancel {PLACE}"
    )
