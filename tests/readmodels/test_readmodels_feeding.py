"""What live events make of a version is written in one transaction with how far they were read."""

from __future__ import annotations

from typing import Any

import pytest

from cutline.errors import RunFailed
from cutline.readmodels import (
    AsideRecord,
    FedPartition,
    FeedBatch,
    FeedOvertaken,
    LiveEvent,
    fed_rows,
    feeding,
)
from cutline.readmodels.lines import fed_line, line_of
from support.ended import Killed
from support.read_models import Desk

TABLE = '"order_eu-west_v1"'
PLACE = ("orders.live", 0)


def line(subject: str, status: str | None, event: str | None) -> bytes:
    values = [subject.encode(), status and status.encode(), b"1.00", b'["x"]']
    return fed_line(line_of(values), event)


def batch(turn: int = 0, position: int = 3, **more: Any) -> FeedBatch:
    """An order is changed, another is new, a third has ended, and a record is put aside."""
    values: dict[str, Any] = {
        "rows": {"order": [line("A-1", "paid\tall", "e-1"), line("B-2", None, "e-2")]},
        "ended": {"order": {"A-3": "e-3", "none": "e-3"}},
        "events": [LiveEvent("order", "A-1", "i-1", "accepted", "accepted", "{}")],
        "aside": [AsideRecord(*PLACE, 2, "poison", "no order", "order", "B-1", "{}")],
        "partitions": {PLACE: FedPartition("", position, 0, 7)},
    }
    return FeedBatch(turn, "run-1", **(values | more))


def rows(desk: Desk) -> dict[str, tuple[Any, ...]]:
    query = f"SELECT subject, status, cutline_event_id, cutline_ended FROM {TABLE}"
    return {s: (status, event, bool(ended)) for s, status, event, ended in desk.execute(query)}


FED = {
    "A-1": ("paid\tall", "e-1", False),
    "A-3": ("tab\tand\nline", "e-3", True),
    "B-2": (None, "e-2", False),
}


def test_rows_are_changed_added_and_ended_and_none_is_a_foreign_write(desk: Desk) -> None:
    version, model = desk.build(), desk.model()
    model.point(version)
    before = rows(desk)
    model.feed(1, batch())
    assert rows(desk) == before | FED
    shown = {s for (s,) in desk.execute('SELECT subject FROM "order_eu-west"')}
    assert shown == {"A-1", "A-2", "B-1", "B-2", "Ä-1"}
    assert model.verify(version) == ()
    state = model.feed_state(1)
    assert state is not None
    assert (state.turn, state.behind) == (1, 0)
    assert state.partitions == {PLACE: FedPartition("", 3, 0, 7)}
    assert [e.identity for e in model.live_events(1, [("order", "A-1"), ("order", "B-1")])] == [
        "i-1"
    ]
    assert [a.place for a in model.holding_records(1, [("order", "B-1")])] == [(*PLACE, 2)]


def test_a_row_is_restored_only_where_a_live_event_wrote_it(desk: Desk) -> None:
    version, model = desk.build(), desk.model()
    model.feed(1, batch())
    restored = [line(subject, "as before", "e-9") for subject in ("A-1", "A-2", "new")]
    model.feed(1, batch(1, rows={}, aside=[], restored={"order": restored}))
    assert rows(desk)["A-1"] == ("as before", "e-9", False)
    assert rows(desk)["A-2"] == (None, None, False)
    assert "new" not in rows(desk)
    assert model.verify(version) == ()


def test_what_is_settled_is_put_aside_no_more(desk: Desk) -> None:
    desk.build()
    model = desk.model()
    model.feed(1, batch())
    anew = AsideRecord(*PLACE, 2, "poison", "still no order", "order", "B-1", "{}")
    model.feed(1, batch(1, aside=[anew], settled=[(*PLACE, 2)]))
    (record,) = model.aside_records(1, 10)
    assert record.reason == "still no order"
    model.feed(1, batch(2, aside=[], settled=[(*PLACE, 2)]))
    assert model.aside_records(1, 10) == []


def test_a_kill_at_any_write_leaves_nothing_and_loses_nothing(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    version = desk.build()
    model, before = desk.model(), rows(desk)
    places = ["insert", "update", "delete", "upsert"]
    kills = 0
    for at in range(1, 60):
        writes = 0

        def count() -> None:
            nonlocal writes
            writes += 1
            if writes == at:  # noqa: B023
                raise Killed

        with monkeypatch.context() as patch:
            for module in (feeding, fed_rows):
                for name in places[:3]:
                    statement = getattr(module, name)
                    patch.setattr(module, name, lambda t, s=statement: (count(), s(t))[1])
            access = type(model.database.access)
            upsert = access.upsert_lines
            patch.setattr(access, "upsert_lines", lambda *a, u=upsert: (u(*a), count())[0])
            try:
                model.feed(1, batch())
            except Killed:
                kills += 1
                assert rows(desk) == before
                assert model.feed_state(1) is None
                assert desk.execute("SELECT * FROM cutline_read_model_fed_rows") == []
                continue
        break
    assert kills > 12
    assert rows(desk) == before | FED
    assert model.verify(version) == ()


def test_what_is_retracted_ends_only_a_row_that_a_live_event_wrote(desk: Desk) -> None:
    version, model = desk.build(), desk.model()
    model.point(version)
    model.feed(1, batch())
    before = rows(desk)
    retracted = {"order": {"A-2": "e-9", "B-2": "e-9", "none": "e-9"}}
    model.feed(1, FeedBatch(1, "run-1", retracted=retracted))
    assert rows(desk) == before | {"B-2": (None, "e-9", True)}
    assert model.verify(version) == ()


def test_of_two_processes_that_feed_a_version_the_slower_one_writes_nothing(desk: Desk) -> None:
    desk.build()
    model = desk.model()
    model.feed(1, batch())
    before = rows(desk)
    with pytest.raises(FeedOvertaken, match="version 1 of fulfilment in region eu-west was fed by"):
        model.feed(1, batch(rows={"order": [line("A-2", "late", "e-4")]}))
    assert rows(desk) == before


def test_a_version_that_is_dropped_or_built_anew_is_not_fed(desk: Desk) -> None:
    desk.build()
    model = desk.model()
    model.feed(1, batch())
    with pytest.raises(RunFailed, match="is not there as run run-2 left it"):
        model.feed(1, FeedBatch(1, "run-2"))
    model.drop(1)
    assert model.feed_state(1) is None
    assert model.aside_records(1, 10) == []
    with pytest.raises(RunFailed, match="is not there as run run-1 left it"):
        model.feed(1, batch(1))
    desk.build()
    model.feed(1, batch())
    assert rows(desk)["A-1"] == FED["A-1"]
