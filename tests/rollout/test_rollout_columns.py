"""A release that lacks columns which services read is moved to in three steps, and back."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from cutline.errors import RunFailed
from cutline.readmodels import ReadModel, ReadModelColumn, ReadModelVersion
from cutline.readmodels.lines import line_of
from cutline.readmodels.states import States
from cutline.rollout import cancel, ignore_rollout_events
from support.rolled_out import CONTEXT, REGION, RolledOutSlice, killed_at, with_literal_read_models

SHAPES: dict[str, dict[str, tuple[str, str]]] = {
    "run-1": {"state": ("string", "open"), "total": ("string", "10")},
    "run-1-again": {"state": ("string", "open"), "total": ("string", "10")},
    # `state` is called `status`, and `total` is a number.
    "run-2": {"status": ("string", "OPEN"), "total": ("bigint", "10")},
    "run-3": {"status": ("string", "OPEN"), "total": ("bigint", "10"), "note": ("string", "x")},
}
READ_MODEL: dict[str, Any] = {"url": "sqlite:///readmodel.db", "readers": ["billing", "desk"]}
PLACE = f"{CONTEXT} --region {REGION}"


def shaped_build(
    self: ReadModel, spark: object, lake: object, version: int, run_id: str, move: int | None = None
) -> ReadModelVersion:
    """Two orders; the second came with the second run."""
    shape = SHAPES[run_id]
    columns = (
        ReadModelColumn(name="subject", type="string"),
        *(ReadModelColumn(name=name, type=type) for name, (type, _) in shape.items()),
    )
    subjects = ["o1"] if run_id.startswith("run-1") else ["o1", "o2"]
    lines = [
        line_of([subject.encode(), *(value.encode() for _, value in shape.values()), None, b"0"])
        for subject in subjects
    ]
    states = {name: States(columns, len(lines), lines) for name in self.names.views}
    return self.build_states(states, version, run_id, move)


@pytest.fixture
def slice_(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RolledOutSlice:
    with_literal_read_models(monkeypatch)
    monkeypatch.setattr(ReadModel, "build", shaped_build)
    slice_ = RolledOutSlice(tmp_path, read_model=READ_MODEL)
    slice_.do("open")
    slice_.do("stage", "run-1")
    slice_.do("switch reads", 5)
    stage(slice_, "run-2")
    return slice_


def stage(slice_: RolledOutSlice, run: str) -> None:
    slice_.run(run)
    slice_.do("stage", run)


def shown(slice_: RolledOutSlice) -> tuple[list[str], list[tuple[Any, ...]]]:
    """The columns of a view, and its rows."""
    with closing(sqlite3.connect(slice_.folder / "readmodel.db")) as database:
        names = database.execute("SELECT view_name FROM cutline_read_model_views").fetchall()
        rows = database.execute(f'SELECT * FROM "{min(names)[0]}" ORDER BY subject')
        return [column[0] for column in rows.description], rows.fetchall()


OLD = (["subject", "state", "total"], [("o1", "open", "10")])
EXPANDED = (
    ["subject", "state", "total", "status", "total_v2"],
    [("o1", "open", "10", "OPEN", 10), ("o2", None, None, "OPEN", 10)],
)
CONTRACTED = (
    ["subject", "status", "total", "total_v2"],
    [("o1", "OPEN", 10, 10), ("o2", "OPEN", 10, 10)],
)


def refusal(slice_: RolledOutSlice, command: str, *arguments: Any) -> tuple[str, str | None]:
    (guard,) = slice_.plan(command, *arguments).refused
    return guard.says, guard.next_command


def test_columns_that_services_read_are_not_taken_away_at_once(slice_: RolledOutSlice) -> None:
    says, command = refusal(slice_, "switch reads", None)
    assert "release 2 has not, or of another type, what services read of release 1" in says
    assert ".state" in says
    assert ".total" in says
    assert command == f"cutline rollout expand {PLACE}"
    assert shown(slice_) == OLD


def test_expand_migrate_contract(slice_: RolledOutSlice) -> None:
    slice_.do("expand")
    standing = slice_.standing
    assert (standing.release, standing.expanded, standing.previous) == (2, 1, 1)
    assert (standing.reads, standing.percent) == ("canary", 5)
    assert shown(slice_) == EXPANDED
    # A larger share reads the same views.
    slice_.do("switch reads", None)
    assert (slice_.standing.expanded, shown(slice_)) == (1, EXPANDED)
    says, command = refusal(slice_, "contract")
    assert (says, command) == (
        "confirmed: nothing; missing: billing, desk",
        f"cutline rollout migrate {CONTEXT} billing --region {REGION} --by NAME",
    )
    assert refusal(slice_, "migrate", "desks")[0] == "rollout.read_model.readers are: billing, desk"
    slice_.do("migrate", "billing")
    assert "missing: desk" in refusal(slice_, "contract")[0]
    slice_.do("migrate", "desk")
    slice_.do("contract")
    assert (slice_.standing.expanded, shown(slice_)) == (None, CONTRACTED)
    ledger = slice_.control.rollout_ledger(CONTEXT, REGION)
    confirmed = [line.evidence["reader"] for line in ledger if line.step == "confirm-reader"]
    assert confirmed == ["desk", "billing"]
    # Writes go on with these views, and another release that is only wider needs no steps.
    slice_.carried_on = lambda: "run-2"
    slice_.do("switch writes")
    slice_.do("complete")
    assert shown(slice_) == CONTRACTED


def test_what_was_contracted_is_shown_again(slice_: RolledOutSlice) -> None:
    slice_.do("expand")
    slice_.do("migrate", "billing")
    slice_.do("migrate", "desk")
    slice_.do("contract")
    says, command = refusal(slice_, "reverse reads")
    assert "services were moved away from" in says
    assert command == f"cutline rollout reverse contract {PLACE}"
    slice_.do("reverse contract")
    assert shown(slice_) == EXPANDED
    assert "confirmed: nothing" in refusal(slice_, "contract")[0], "they are asked again"
    slice_.do("reverse reads")
    standing = slice_.standing
    assert (standing.release, standing.expanded, standing.reads) == (1, None, "canary")
    assert shown(slice_) == OLD
    (guard,) = slice_.plan("reverse contract").refused
    assert guard.name == "contracted"


def test_while_two_releases_are_shown_no_other_one_is(slice_: RolledOutSlice) -> None:
    slice_.do("expand")
    stage(slice_, "run-3")
    says, command = refusal(slice_, "switch reads", None)
    assert says == "the views show the columns of release 1 as well"
    assert command == f"cutline rollout contract {PLACE}"
    assert says in [guard.says for guard in slice_.plan("expand").refused]
    slice_.do("migrate", "billing")
    slice_.do("migrate", "desk")
    slice_.do("contract")
    assert "nothing to do" in refusal(slice_, "expand")[0]
    slice_.do("switch reads", None)
    assert shown(slice_)[0] == ["subject", "status", "total", "note"]


def test_writes_are_not_switched_to_columns_that_nobody_expanded(slice_: RolledOutSlice) -> None:
    """What the tail brought is a release at once, which nobody staged."""
    slice_.do("cancel")
    slice_.do("open")
    stage(slice_, "run-1-again")
    slice_.do("switch reads", None)
    slice_.carried_on = lambda: "run-3"
    with pytest.raises(RunFailed, match="has other columns than services read") as stopped:
        slice_.do("switch writes")
    assert f"cutline rollout stage {CONTEXT} run-3 --region {REGION}" in stopped.value.next_step
    assert slice_.standing.writes == "legacy"
    assert slice_.legacy_takes_writes()


@pytest.mark.parametrize("command", ["expand", "contract", "reverse contract"])
@pytest.mark.parametrize("before", [True, False])
def test_a_kill_is_gone_on_from_or_taken_back(
    slice_: RolledOutSlice, command: str, before: bool
) -> None:
    if command != "expand":
        slice_.do("expand")
        slice_.do("migrate", "billing")
        slice_.do("migrate", "desk")
    if command == "reverse contract":
        slice_.do("contract")
    stands = shown(slice_)

    def act(work: Any) -> object:
        from cutline.rollout import perform

        return perform(work, slice_.plan(command), "ops", None, ignore_rollout_events)

    # The second change records that the views were moved: they are, or that is recorded.
    assert killed_at(act, slice_.work(), 2, before=before)
    cancel(slice_.work(), "ops", None, ignore_rollout_events)
    assert (shown(slice_), slice_.standing.plan) == (stands, None)
    assert killed_at(act, slice_.work(), 2, before=before)
    slice_.resume()
    ends = {"expand": EXPANDED, "contract": CONTRACTED, "reverse contract": EXPANDED}
    assert shown(slice_) == ends[command]
    assert slice_.standing.expanded == (None if command == "contract" else 1)
