"""How a backfill stands, as people read it."""

from __future__ import annotations

from pathlib import Path

from cutline.control import Control
from cutline.project import load_shared
from support.backfilling import DESK, backfilled
from support.replaying import AGAIN, Placed


def test_a_record_of_which_nothing_is_announced_is_no_exception(tmp_path: Path) -> None:
    queue = backfilled(tmp_path, {"monday": [Placed(1)]})
    queue.submit("orders", to=AGAIN, team=DESK, why="a field")
    control = Control.open(load_shared(tmp_path).file.control, tmp_path)
    control.claim_backfill({})
    records = {"replayed": 1, "no-event": 2, "exception": 4, "waiting": 8}
    counts = [{"outcome": outcome, "records": n} for outcome, n in records.items()]
    control.finish_backfill(1, "done", None, {"replay": "r", "counts": counts})
    assert queue.show(1).exceptions == 12
