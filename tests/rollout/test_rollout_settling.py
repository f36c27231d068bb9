"""A decision without authority stops a completion, until somebody says what became of it."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from cutline.errors import ConfigurationError, RunFailed
from cutline.rollout import guards
from cutline.rollout.decisions import SliceDecisions, StrayDecision, settle
from cutline.rollout.decisions.settling import Settlement, is_settled, settlements
from support.command_line import CommandLine
from support.rolled_out import CONTEXT, REGION, RolledOutSlice, without_spark
from support.typed_commands import check_typed

STRAY = StrayDecision(
    *("e-1", "both-decided", "legacy", "order", "W1", "OrderPlaced", 'erp.orders ["W1"]'),
    *(None, None, "new", 3, "e-2", None),
)
SLICE = (CONTEXT, "--region", REGION)


def decisions(*strays: StrayDecision, unsettled: int = 1) -> SliceDecisions:
    return SliceDecisions(CONTEXT, REGION, 5, 0, 4, 0, len(strays), unsettled, strays)


@pytest.fixture
def slice_(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RolledOutSlice:
    """A slice that the new side writes."""
    without_spark(monkeypatch)
    slice_ = RolledOutSlice(tmp_path)
    for command, arguments in (
        *(("open", []), ("stage", ["run-1"])),
        *(("switch reads", [None]), ("switch writes", [])),
    ):
        slice_.do(command, *arguments)
    return slice_


def reconciled(
    monkeypatch: pytest.MonkeyPatch, slice_: RolledOutSlice
) -> Callable[[], SliceDecisions]:
    """Has reconciliation find one decision, settled or not as the ledger says."""

    def look(*_: object) -> SliceDecisions:
        settled = settlements(slice_.control.rollout_ledger(CONTEXT, REGION))
        is_settled = any(s.is_of(STRAY.id, STRAY.side, STRAY.producer) for s in settled)
        return decisions(STRAY, unsettled=0 if is_settled else 1)

    monkeypatch.setattr(guards, "reconcile_decisions", look)
    monkeypatch.setattr("cutline.api.rollouts.slice.reconcile_decisions", look)
    return look


def test_a_completion_waits_for_it_to_be_settled(
    slice_: RolledOutSlice, monkeypatch: pytest.MonkeyPatch, command_line: CommandLine
) -> None:
    reconciled(monkeypatch, slice_)
    (guard,) = slice_.plan("complete").refused
    assert guard.says.endswith("1 without authority")
    assert guard.next_command is not None
    check_typed(guard.next_command)
    in_project = ("--project", slice_.folder)
    shown = command_line("rollout", "decisions", *SLICE, *in_project)
    assert shown.returncode == 1
    assert "both-decided" in shown.stdout
    (_, command) = shown.stdout.splitlines()[-1].split("then for each ")
    check_typed(command)
    why = ("--why", "the desk called them", "--by", "kim")
    settled = command_line("rollout", "settle", *SLICE, "e-1", *why, *in_project)
    assert (settled.returncode, "is settled by kim" in settled.stdout) == (0, True)
    assert slice_.plan("complete").refused == ()
    again = command_line("rollout", "decisions", *SLICE, "--json", *in_project)
    assert (again.returncode, json.loads(again.stdout)["unsettled"]) == (0, 0)
    slice_.do("complete")


def test_another_producer_or_side_with_the_same_id_is_not_settled(
    spark: SparkSession, slice_: RolledOutSlice
) -> None:
    """Ids are of their producers: who settles one has not seen the other."""
    of_new = dataclasses.replace(STRAY, side="new", producer="urn:shop")
    settle(slice_.control, decisions(of_new), "e-1", "kim", "called them")
    settled = settlements(slice_.control.rollout_ledger(CONTEXT, REGION))
    takers = [
        *(("e-1", "new", "urn:shop"), ("e-1", "new", "urn:till"), ("e-1", "new", None)),
        *(("e-1", "legacy", None), ("e-2", "new", "urn:shop")),
    ]
    expected = [True, False, False, False, False]
    assert [any(s.is_of(*taker) for s in settled) for taker in takers] == expected
    frame = spark.createDataFrame(takers, "id string, side string, producer string")
    rows = frame.select(is_settled(settled).alias("is_settled")).collect()
    assert [row["is_settled"] for row in rows] == expected
    assert [row[0] for row in frame.select(is_settled(())).collect()] == [False] * 5
    settle(slice_.control, decisions(STRAY, of_new), "e-1", "lee", "and the legacy's")
    (newest, _) = settlements(slice_.control.rollout_ledger(CONTEXT, REGION))
    assert (newest.changed_by, newest.taken_by) == (
        "lee",
        {("legacy", None), ("new", "urn:shop")},
    )


def test_a_settlement_of_an_older_version_is_of_all_that_have_the_id() -> None:
    older = Settlement("e-1", None, "kim", "called them")
    assert older.is_of("e-1", "legacy", None)
    assert older.is_of("e-1", "new", "urn:shop")
    assert not older.is_of("e-2", "legacy", None)


def test_what_is_settled_must_be_there_and_nothing_under_way(
    slice_: RolledOutSlice, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ConfigurationError, match="has the id 'e-9'"):
        settle(slice_.control, decisions(STRAY), "e-9", "kim", "x")

    def refused_meanwhile(*_: object) -> None:
        with pytest.raises(ConfigurationError, match="is under way"):
            settle(slice_.control, decisions(STRAY), "e-1", "kim", "x")
        raise RunFailed("enough")

    monkeypatch.setattr("cutline.rollout.steps.writes.give_back", refused_meanwhile)
    with pytest.raises(RunFailed, match="enough"):
        slice_.do("reverse writes")


def test_a_source_that_cannot_be_read_stops_a_completion(
    slice_: RolledOutSlice, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail_to_read(*_: object) -> SliceDecisions:
        raise RunFailed("the topic is gone", next_step="bring it back")

    monkeypatch.setattr(guards, "reconcile_decisions", fail_to_read)
    (guard,) = slice_.plan("complete").refused
    assert "what both sides decided cannot be read: the topic is gone" in guard.says
    assert guard.next_command == "bring it back"


def test_many_settlements_can_be_asked_for(spark: SparkSession) -> None:
    """As many strays as are listed, and settled one by one."""
    settled = [
        Settlement(f"e-{n}", frozenset({("new", "urn:shop")}), "kim", "called them")
        for n in range(2000)
    ]
    frame = spark.createDataFrame(
        [("e-0", "new", "urn:shop"), ("e-x", "new", "urn:shop")],
        "id string, side string, producer string",
    )
    assert frame.where(~is_settled(settled)).count() == 1
