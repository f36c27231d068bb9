"""A process that is killed in the middle of any step of any move: who goes on ends right, and never
do two sides take writes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from support.rolled_out import with_literal_read_models
from support.rollout_kills import check_kills_within
from support.rollout_moves import MOVES, prepared
from support.soaking import some_in_soak

READ_MODEL = {"url": "sqlite:///readmodel.db"}
OFTEN = ("switch writes", "reverse writes", "cancel")
"""The moves that are killed each time: those that change who writes."""


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.parametrize(
    ("move", "rollout"),
    some_in_soak(
        [(move, rollout) for move in MOVES for rollout in ({}, {"read_model": READ_MODEL})],
        lambda move, rollout: bool(rollout) and move in OFTEN,
    ),
    ids=[f"{move}-{kind}" for move in MOVES for kind in ("bare", "read model")],
)
def test_a_kill_within_any_step_is_gone_on_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, move: str, rollout: dict[str, Any]
) -> None:
    with_literal_read_models(monkeypatch)
    check_kills_within(
        lambda name: prepared(tmp_path / name, move, **rollout), move, tmp_path / "changes.json"
    )
