"""Two slices that are rolled out have no subject in common: by the tables of states of the runs that
are their releases, and once more of the run that is made under the hold."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from cutline.control import RunRecord
from cutline.errors import RunFailed
from cutline.rollout import RolloutWork
from cutline.rollout import overlap as rollout_overlap
from cutline.rollout.overlap import overlaps
from cutline.run import overlap
from cutline.run.overlap import SubjectOverlap
from support.rolled_out import CONTEXT, RolledOutSlice, without_spark
from support.subject_lake import SubjectLake


@pytest.mark.parametrize(
    ("of_east", "common"),
    [
        (["o-3", "o-1", "o-2"], ["2 of customer_order are in us-east too: o-2, o-3"]),
        (["o-3"], ["1 of customer_order are in us-east too: o-3"]),
        (["o-1"], []),
    ],
)
def test_subjects_that_another_slice_has_are_named(
    tmp_path: Path,
    spark: SparkSession,
    monkeypatch: pytest.MonkeyPatch,
    of_east: list[str],
    common: list[str],
) -> None:
    lakes: Mapping[str, SubjectLake] = {
        "run-1": SubjectLake(["o-2", "o-3", "o-4"]),
        "run-east": SubjectLake(of_east),
    }

    def lake_of(_: object, record: RunRecord) -> SubjectLake:
        return lakes[record.run_id]

    without_spark(monkeypatch)
    slice_ = RolledOutSlice(tmp_path)
    monkeypatch.setattr(overlap, "session", lambda _: spark)
    for module in (overlap, rollout_overlap):
        monkeypatch.setattr(module, "lake_of", lake_of)
    record = slice_.control.run("run-1")
    assert record is not None
    assert overlaps(slice_.work(), record) == []
    east(slice_, "open")
    assert overlaps(slice_.work(), record) == [], "it has no release yet"
    east(slice_, "stage", "run-east")
    assert list(map(str, overlaps(slice_.work(), record))) == common
    east(slice_, "cancel")
    assert overlaps(slice_.work(), record) == [], "it is rolled out no more"


def east(slice_: RolledOutSlice, command: str, *arguments: str) -> None:
    """What is done with the slice of the other region."""
    region, regional = "us-east", slice_.work

    def of_east() -> RolloutWork:
        rollout = slice_.control.rollout(CONTEXT, region)
        return dataclasses.replace(regional(), region=region, rollout=rollout)

    if slice_.control.run("run-east") is None:
        slice_.run("run-east", region=region)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(slice_, "work", of_east)
        slice_.do(command, *arguments)


def test_the_run_under_the_hold_is_asked_for_it_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_spark(monkeypatch)
    slice_ = RolledOutSlice(tmp_path)
    for command, arguments in (("open", []), ("stage", ["run-1"]), ("switch reads", [None])):
        slice_.do(command, *arguments)
    carried: list[str] = []

    def carry_on() -> str:
        carried.append("run-2")
        return "run-2"

    def common(_: RolloutWork, record: RunRecord) -> list[SubjectOverlap]:
        # Another slice is staged while this one is held.
        return [SubjectOverlap("us-east", "r", "customer_order", 1, ("o-1",))] * (len(carried) > 1)

    slice_.carried_on = carry_on
    monkeypatch.setattr("cutline.rollout.guards.overlaps", common)
    with pytest.raises(RunFailed, match="1 of customer_order are in us-east too: o-1"):
        slice_.do("switch writes")
    assert carried == ["run-2", "run-2"]
    assert (slice_.standing.writes, slice_.standing.plan) == ("legacy", None)
    assert slice_.legacy_takes_writes()
