"""Backfills in tests: a project whose archive teams may have sent again."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml

import cutline
from support.replaying import AGAIN, Placed, shop_document

DESK = "Order desk"
TEAMS: Mapping[str, Any] = {DESK: {"records_per_day": 10, "waiting": 3}, "Shop": {}}
ORDER = {"replay": "orders", "to": AGAIN, "team": DESK, "asked_by": "kim", "why": "a field"}


def backfilled(
    place: Path, days: Mapping[str, Iterable[Placed]], **backfills: Any
) -> cutline.Backfills:
    """The queue of a project in that place, whose archive has a file of events for each day."""
    orders = {
        "source": {"archive": {"path": "archive", "format": "json"}},
        "destinations": {
            AGAIN: {"owner": "Order desk"},
            "orders.live": {"owner": "Order desk", "live": True},
        },
    }
    document = shop_document(
        replays={"orders": orders}, backfills={"teams": dict(TEAMS), **backfills}
    )
    place.mkdir(parents=True, exist_ok=True)
    (place / "cutline.yaml").write_text(yaml.safe_dump(document), encoding="utf-8")
    (place / "archive").mkdir(exist_ok=True)
    for day, events in days.items():
        lines = "".join(f"{json.dumps(event.record())}\n" for event in events)
        (place / "archive" / f"{day}.jsonl").write_text(lines, encoding="utf-8")
    return cutline.Project.open(place).backfills()
