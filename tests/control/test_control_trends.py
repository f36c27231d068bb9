"""The trend of a slice in the control database."""

from __future__ import annotations

import datetime as dt
import time

from cutline.control import Control, RunKey, Trend
from cutline.results import StageResult
from cutline.tables.trend import FIGURES

NOW = dt.datetime(2026, 11, 1, tzinfo=dt.UTC)


def begin(control: Control, run_id: str, region: str = "north", *, done: bool = True) -> None:
    with control.lease("shop", region) as lease:
        control.begin(RunKey("shop", region, run_id, {"run": run_id}), NOW, lease)
        control.stage_started(run_id, "reconcile", lease)
        if done:
            control.stage_done(
                run_id, "reconcile", StageResult(rows_in=0, rows_out=0), "d", 1.0, lease
            )
    time.sleep(0.002)


def counts(opened: int) -> dict[str, int]:
    return dict.fromkeys(FIGURES, 0) | {"opened": opened, "open": opened}


def test_a_runs_trend_is_kept_and_replaced(control: Control) -> None:
    begin(control, "one")
    begin(control, "two")
    begin(control, "else", "south")
    first = Trend("one", None, 1, {"record": counts(0), "state": counts(2**40)})
    second = Trend("two", "one", 2, {"state": counts(7)})
    with control.lease("shop", "north") as lease:
        control.remember_trend(first, lease)
        control.remember_trend(Trend("two", None, 1, {"record": counts(9)}), lease)
        control.remember_trend(second, lease)
    assert control.trends("shop", "north") == {"one": first, "two": second}
    assert control.trends("shop", "south") == {}


def test_only_reconciled_runs_of_the_slice_that_were_begun_before_count(control: Control) -> None:
    begin(control, "one")
    begin(control, "half", done=False)
    begin(control, "else", "south")
    begin(control, "two")
    begin(control, "three")
    begin(control, "one")  # Repeated: its place is where it was begun.
    assert control.reconciled_before("three") == ["two", "one"]
    assert control.reconciled_before("two") == ["one"]
    assert control.reconciled_before("one") == []
    assert control.reconciled_before("never") == []
