"""Who cancelled a backfill, and why, is shown; where there is nothing to cancel that is said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import cutline
from cutline.backfill.intake import take_requests
from cutline.control import Backfill, Control
from cutline.project import load_shared
from support.backfilling import DESK, ORDER, backfilled

CANCELS_FIRST = {"cancel": 1, "asked_by": "lee", "why": "wrong month"}


@pytest.fixture
def queue(tmp_path: Path) -> cutline.Backfills:
    """A queue with one backfill."""
    queue = backfilled(tmp_path, {}, folder="asked")
    queue.submit("orders", to="orders.again", team=DESK, why="x")
    return queue


def submit_requests(folder: Path, **requests: Any) -> list[Backfill]:
    """What came of requests that are put into the folder, in the order of their names."""
    for name, document in requests.items():
        file = folder / "asked" / f"{name}.json"
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps(document))
    project = load_shared(folder)
    return list(take_requests(project, Control.open(project.file.control, project.folder)))


def test_why_it_was_cancelled_is_shown(
    tmp_path: Path, queue: cutline.Backfills, command_line: Any
) -> None:
    assert queue.show(1).cancelled_why is None
    submit_requests(tmp_path, first=CANCELS_FIRST)
    shown = queue.show(1)
    assert (shown.status, shown.cancelled_by, shown.cancelled_why) == (
        *("cancelled", "lee", "wrong month"),
    )
    at = ("backfill", "show", "1", "--project", tmp_path)
    assert "  cancelled by lee: wrong month\n" in command_line(*at).stdout
    assert json.loads(command_line(*at, "--json").stdout)["cancelled_why"] == "wrong month"


def test_what_has_ended_is_not_cancelled(
    tmp_path: Path, queue: cutline.Backfills, command_line: Any
) -> None:
    queue.cancel(1, why="wrong month", cancelled_by="lee")
    before = queue.show(1)
    refused = command_line("backfill", "cancel", "1", "--why", "again", "--project", tmp_path)
    assert refused.returncode == 2
    assert "backfill 1 has ended already: cancelled" in refused.stderr
    assert queue.show(1) == before


def test_a_cancellation_is_not_cancelled(tmp_path: Path, queue: cutline.Backfills) -> None:
    submit_requests(tmp_path, first=CANCELS_FIRST)
    with pytest.raises(
        cutline.ConfigurationError, match="backfill 2 is itself a cancellation, of backfill 1"
    ):
        queue.cancel(2, why="no")


def test_a_request_that_cancels_nothing_says_why(tmp_path: Path, queue: cutline.Backfills) -> None:
    (refused,) = submit_requests(tmp_path, wrong=ORDER | {"replay": "nothing"})
    assert (refused.number, refused.status) == (2, "refused")
    (row,) = submit_requests(tmp_path, late=CANCELS_FIRST | {"cancel": 2})
    assert (row.number, row.reason) == (3, "it cancels: backfill 2 has ended already: refused")
    (row,) = submit_requests(tmp_path, later=CANCELS_FIRST | {"cancel": 3})
    assert row.reason == "it cancels: backfill 3 is itself a cancellation, of backfill 2"
