"""A decision counts by the settings of now: a GO of others lets nothing through."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from cutline import Project
from cutline.control.rollouts import RolloutChange
from cutline.project import load
from cutline.rollout import PlanRefused, cancel, ignore_rollout_events, perform
from support.rolled_out import CONTEXT, REGION, RolledOutSlice, without_spark
from support.rollout_moves import prepared

PLACE = f"{CONTEXT} --region {REGION}"
AGAIN = f"cutline run {PLACE} --again"
WAIVERS = """\
version: 1
waivers:
  - name: odd-channels
    match: {level: state, column: channel}
    reason: Nobody reads them.
    owner: Maria Okafor
    ticket: FUL-311
    expires: 2026-12-31
    max_breaks: 40
"""
DISCARDED = """\
version: 1
discarded:
  - name: old-ledger
    context: fulfilment
    region: eu-west
    exceptions: [a2f22395-3751-5b73-98a6-be1e8e20633b]
    reason: Settled in the old ledger.
    owner: order-desk
    ticket: FUL-311
    expires: 2026-12-31
"""
Change = Callable[[Path], object]


@pytest.fixture(autouse=True)
def literal_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    without_spark(monkeypatch)


def edited(folder: Path, edit: Callable[[dict[str, Any]], object]) -> None:
    file = folder / "cutline.yaml"
    document = yaml.safe_load(file.read_text("utf-8"))
    edit(document)
    file.write_text(yaml.safe_dump(document, sort_keys=False), "utf-8")


def loose(document: dict[str, Any]) -> None:
    """Gates that let half of all records differ."""
    document["contexts"][CONTEXT]["gates"] = {"record": {"min_match_rate": 0.5}}


def loose_gates(folder: Path) -> None:
    edited(folder, loose)


def another_cut(folder: Path) -> None:
    cut = {"policy": "commit-timestamp", "at": "2026-11-01T05:00:00Z"}
    edited(folder, lambda document: document["contexts"][CONTEXT].update(cut=cut))


def loose_gates_of_the_region(folder: Path) -> None:
    def of_region(document: dict[str, Any]) -> None:
        override: dict[str, Any] = {"contexts": {CONTEXT: {}}}
        loose(override)
        document["regions"][REGION] = {"override": override}

    edited(folder, of_region)


def with_waivers(text: str) -> Change:
    return lambda folder: (folder / "waivers.yaml").write_text(text, "utf-8")


def as_now(slice_: RolledOutSlice) -> RolledOutSlice:
    """The slice, as a process sees it that reads its files now."""
    slice_.project = load(slice_.folder, REGION)
    return slice_


def refusal(slice_: RolledOutSlice, command: str, *arguments: Any) -> tuple[str, str, str | None]:
    """Name, words and next command of the one guard that refuses."""
    (guard,) = as_now(slice_).plan(command, *arguments).refused
    return guard.name, guard.says, guard.next_command


@pytest.mark.parametrize(
    ("change", "file"),
    [
        (loose_gates, "cutline.yaml"),
        (another_cut, "cutline.yaml"),
        (loose_gates_of_the_region, "cutline.yaml"),
        (with_waivers(WAIVERS), "waivers.yaml"),
        (with_waivers(DISCARDED), "waivers.yaml"),
    ],
)
@pytest.mark.parametrize(
    ("command", "arguments"), [("mirror", [5]), ("switch reads", [5]), ("switch writes", [])]
)
def test_a_go_of_settings_that_are_no_more_lets_nothing_through(
    tmp_path: Path, change: Change, file: str, command: str, arguments: list[Any]
) -> None:
    slice_ = prepared(tmp_path / "slice", command)
    before = {path: path.read_bytes() for path in slice_.folder.glob("*.yaml")}
    change(slice_.folder)
    slice_.run("run-8", settings=as_now(slice_).settings())
    assert not slice_.plan(command, *arguments).refused
    (slice_.folder / "waivers.yaml").unlink(missing_ok=True)
    for path, content in before.items():
        path.write_bytes(content)
    assert refusal(slice_, command, *arguments) == (
        "newest decision",
        f"run run-8: go, by settings that are no more: {file} says something else than it did",
        AGAIN,
    )
    with pytest.raises(PlanRefused, match="by settings that are no more"):
        slice_.do(command, *arguments)
    assert slice_.standing.plan is None
    slice_.run("run-9", settings=slice_.settings())
    slice_.carried_on = lambda: "run-9"
    assert not slice_.plan(command, *arguments).refused


def test_a_run_of_settings_that_are_no_more_is_not_staged(tmp_path: Path) -> None:
    slice_ = prepared(tmp_path / "slice", "stage")
    slice_.run("run-8", settings=as_now(slice_).settings())
    loose_gates(slice_.folder)
    name, says, gives = refusal(slice_, "stage", "run-8")
    assert (name, gives) == ("decision", AGAIN)
    assert says.startswith("its decision is GO: a gate, by settings that are no more")


def test_a_run_whose_settings_changed_since_the_plan_is_not_staged(tmp_path: Path) -> None:
    slice_ = prepared(tmp_path / "slice", "stage")
    slice_.run("run-8", settings=as_now(slice_).settings())
    plan = slice_.plan("stage", "run-8")
    assert not plan.refused
    loose_gates(slice_.folder)
    with pytest.raises(PlanRefused, match="by settings that are no more"):
        perform(as_now(slice_).work(), plan, "ops", None, ignore_rollout_events)
    assert (slice_.standing.plan, slice_.standing.staged) == (None, None)


def test_what_changes_no_result_changes_no_decision(tmp_path: Path) -> None:
    slice_ = prepared(tmp_path / "slice", "switch reads")
    slice_.run("run-8", settings=as_now(slice_).settings())
    edited(slice_.folder, lambda document: document.update(spark={"memory": "2g"}))
    edited(slice_.folder, lambda document: document["rollout"]["legacy_writes"].update(seconds=90))
    assert not as_now(slice_).plan("switch reads", None).refused


def test_waivers_that_cannot_be_read_are_no_settings_of_now(tmp_path: Path) -> None:
    slice_ = prepared(tmp_path / "slice", "switch reads")
    slice_.run("run-8", settings=as_now(slice_).settings())
    with_waivers("version: 1\nwaivers: 5\n")(slice_.folder)
    name, says, _ = refusal(slice_, "switch reads", None)
    assert name == "newest decision"
    assert "waivers.yaml: waivers" in says


def test_settings_that_changed_under_way_stop_the_resuming(tmp_path: Path) -> None:
    slice_ = prepared(tmp_path / "slice", "switch reads")
    slice_.run("run-8", settings=as_now(slice_).settings())
    plan = slice_.plan("switch reads", None)
    with slice_.control.lease(CONTEXT, REGION) as lease:
        begun = {
            "plan": {"plan": plan.model_dump(mode="json"), "changed_by": "ops", "why": None},
            "step": "set-reads",
        }
        change = RolloutChange("switch reads", "begun", "ops", values=begun)
        slice_.control.change_rollout(plan.version, change, lease)
    loose_gates(slice_.folder)
    with pytest.raises(PlanRefused, match="by settings that are no more"):
        as_now(slice_).resume()
    assert slice_.standing.reads == "legacy"
    cancel(slice_.work(), "ops", None, ignore_rollout_events)
    assert slice_.standing.plan is None


def test_the_board_leads_to_a_run_of_the_settings_of_now(tmp_path: Path) -> None:
    slice_ = prepared(tmp_path / "slice", "switch reads")
    slice_.run("run-8", settings=as_now(slice_).settings())
    project = Project(slice_.folder)
    (before,) = [o for o in project.rollouts() if o.region == REGION]
    assert f"cutline rollout switch reads {PLACE}" in before.next
    loose_gates(slice_.folder)
    (behind,) = [o for o in Project(slice_.folder).rollouts() if o.region == REGION]
    assert behind.next == (AGAIN,)
