"""The ledger of publications."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

import pytest

from cutline.control import Control, PublishedPartition, RunKey
from cutline.errors import RunFailed

MOMENT = dt.datetime(2026, 11, 1, 6, tzinfo=dt.UTC)
BEGUN = PublishedPartition("run-1", "shop.order.synthetic", 0, begins=7)
DONE = replace(
    BEGUN,
    ends=21,
    first=8,
    last=19,
    records=12,
    bytes=4_096,
    digest="d" * 32,
    standing=3,
    differing=1,
    withdrawn=2,
)


def begin(control: Control, run_id: str, region: str = "north") -> None:
    with control.lease("shop", region) as lease:
        control.begin(RunKey("shop", region, run_id, {}), MOMENT, lease)


def test_what_is_begun_is_not_read_back_yet(control: Control) -> None:
    begin(control, "run-1")
    with control.lease("shop", "north") as lease:
        control.remember_publications([BEGUN, replace(BEGUN, partition=1)], lease)
    first, second = control.publications("shop", "north")
    assert (first.published, second.published.partition) == (BEGUN, 1)
    assert first.read_back_at is None


def test_what_was_read_back_takes_its_place(control: Control) -> None:
    begin(control, "run-1")
    with control.lease("shop", "north") as lease:
        control.remember_publications([BEGUN], lease)
        [begun] = control.publications("shop")
        control.remember_publications([DONE], lease)
    [entry] = control.publications("shop")
    assert (entry.published, entry.region, entry.begun_at) == (DONE, "north", begun.begun_at)
    assert entry.read_back_at is not None
    assert entry.read_back_at >= entry.begun_at


def test_a_publication_that_is_begun_again_is_not_read_back_any_more(control: Control) -> None:
    begin(control, "run-1")
    with control.lease("shop", "north") as lease:
        control.remember_publications([DONE], lease)
        control.remember_publications([BEGUN], lease)
    [entry] = control.publications("shop")
    assert entry.read_back_at is None


def test_newest_run_first_and_one_region_if_asked_for(control: Control) -> None:
    for run_id, region in (("run-1", "north"), ("run-2", "north"), ("run-3", "south")):
        begin(control, run_id, region)
        with control.lease("shop", region) as lease:
            entries = [replace(DONE, run_id=run_id, partition=number) for number in (1, 0)]
            control.remember_publications(entries, lease)

    def listed(region: str | None) -> list[tuple[str, int]]:
        entries = control.publications("shop", region)
        return [(e.published.run_id, e.published.partition) for e in entries]

    assert listed("north") == [("run-2", 0), ("run-2", 1), ("run-1", 0), ("run-1", 1)]
    assert listed(None)[:2] == [("run-3", 0), ("run-3", 1)]
    assert control.publications("desk") == []


def test_a_run_of_another_slice_is_refused(control: Control) -> None:
    begin(control, "run-1")
    with (
        control.lease("shop", "south") as lease,
        pytest.raises(RunFailed, match="There is no run run-1 of the slice shop/south"),
    ):
        control.remember_publications([BEGUN], lease)
    assert control.publications("shop") == []
