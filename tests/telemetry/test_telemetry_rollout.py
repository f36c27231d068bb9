"""The numbers are sent after each command of a rollout, whatever became of it: a slice that was
moved has no runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import cutline
from cutline.errors import ConfigurationError
from support.rolled_out import CONTEXT, REGION, RolledOutSlice


def test_they_are_sent_after_commands_of_a_rollout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    RolledOutSlice(tmp_path)
    sent: list[str] = []

    def send(_: object, metrics: Callable[[], Any]) -> None:
        sent.append(metrics().text())

    monkeypatch.setattr("cutline.api.rollouts.slice.send_after_run", send)
    rollout = cutline.Project.open(tmp_path).rollout(CONTEXT, region=REGION)
    plan = rollout.plan_open()
    assert sent == []
    rollout.perform(plan)
    assert len(sent) == 1
    assert "cutline_rollout_epoch" in sent[0]
    with pytest.raises(ConfigurationError, match="Nothing is under way"):
        rollout.resume()
    with pytest.raises(ConfigurationError, match="Nothing is under way"):
        rollout.cancel_plan()
    assert len(sent) == 3
