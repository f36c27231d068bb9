"""Snapshots: a run of a slice under a name, which is nobody else's."""

from __future__ import annotations

import datetime as dt

import pytest

from cutline.control import Control, RunKey
from cutline.errors import ConfigurationError

NOON = dt.datetime(2026, 11, 1, 12, tzinfo=dt.UTC)


def test_a_snapshot_is_taken_listed_and_dropped(control: Control) -> None:
    with control.lease("shop", "west") as lease:
        for run_id in ("run-1", "run-2"):
            control.begin(RunKey("shop", "west", run_id, {}), NOON, lease)
        first = control.take_snapshot("monday", "run-1", "kim", "before the tariff", lease)
        assert control.take_snapshot("monday", "run-1", "lee", "again", lease) == first
        with pytest.raises(
            ConfigurationError, match="snapshot monday of shop/west is of run run-1"
        ):
            control.take_snapshot("monday", "run-2", "kim", "x", lease)
        second = control.take_snapshot("tuesday", "run-2", "kim", "x\0y", lease)
        assert (second.why, first.taken_at.tzinfo) == ("x\ufffdy", dt.UTC)
        assert control.snapshots("shop", "west") == [second, first]
        assert control.snapshots("shop", "east") == []
        assert control.drop_snapshot("monday", lease)
        assert not control.drop_snapshot("monday", lease)
        assert control.snapshots("shop", "west") == [second]
