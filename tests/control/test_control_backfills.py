"""The queue of backfills: each is taken once and worked on by one process, within quotas."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr
from sqlalchemy import update

from cutline.control import Backfill, Control, NewBackfill
from cutline.control.backfills import BackfillEnded, BackfillTaken
from cutline.control.models import BACKFILLS
from support.forked import exit_code_of

DESK, SHOP = "Order desk", "Shop"


def new_backfill(origin: str, team: str = DESK, **more: Any) -> NewBackfill:
    return NewBackfill(origin, {"replay": "orders", "n": origin}, team, "kim", **more)


def change(control: Control, number: int, **values: Any) -> None:
    with control.database.write() as connection:
        connection.execute(update(BACKFILLS).where(BACKFILLS.c.number == number).values(**values))


def claimed(control: Control, **quotas: int) -> Backfill:
    backfill = control.claim_backfill(quotas)
    assert backfill is not None
    return backfill


def test_what_comes_from_one_origin_is_there_once(control: Control) -> None:
    first = control.submit_backfill(new_backfill("a"))
    assert control.submit_backfill(new_backfill("a")) == first
    second = control.submit_backfill(new_backfill("b"))
    assert [row.number for row in control.backfills()] == [2, 1]
    assert (first.number, first.status, first.asked_at.tzinfo) == (1, "queued", dt.UTC)
    assert control.backfill(2) == second
    assert control.backfill(3) is None
    assert control.backfills(["done"]) == control.backfills(team=SHOP) == []


def test_a_team_has_so_many_in_the_queue_and_no_more(control: Control) -> None:
    for origin in "ab":
        control.submit_backfill(new_backfill(origin), most_waiting=2)
    refused = control.submit_backfill(new_backfill("c"), most_waiting=2)
    assert (refused.status, refused.reason) == (
        "refused",
        "2 backfills of Order desk are queued already",
    )
    assert refused.ended_at is not None
    assert control.submit_backfill(new_backfill("d", SHOP), most_waiting=2).status == "queued"
    claimed(control)
    assert control.submit_backfill(new_backfill("e"), most_waiting=2).status == "queued"


def test_the_oldest_comes_first_and_to_one_process(control: Control) -> None:
    for origin in "ab":
        control.submit_backfill(new_backfill(origin))
    first = claimed(control)
    assert (first.number, first.status, first.attempts) == (1, "running", 1)
    assert first.holder is not None
    assert first.holder.is_this_process()
    assert claimed(control).number == 2
    assert control.claim_backfill({}) is None
    done = control.finish_backfill(1, "done", None, {"sent": 3})
    assert (done.status, done.outcome, done.holder) == ("done", {"sent": 3}, None)
    for late in (
        lambda: control.finish_backfill(1, "failed", "no"),
        lambda: control.beat_backfill(1),
        lambda: control.allow_records(1, 5, None),
    ):
        with pytest.raises(BackfillTaken, match="backfill 1 is not this process's any more"):
            late()


def test_what_failed_waits_for_its_pause(control: Control) -> None:
    for origin in "ab":
        control.submit_backfill(new_backfill(origin))
    claimed(control)
    waits = control.finish_backfill(
        1, "queued", "no broker", pause=dt.timedelta(minutes=5), has_failed=True
    )
    assert waits.failures == 1
    assert (waits.status, waits.reason, waits.ended_at) == ("queued", "no broker", None)
    assert claimed(control).number == 2
    assert control.claim_backfill({}) is None
    assert waits.not_before is not None
    change(control, 1, not_before=waits.not_before - dt.timedelta(minutes=6))
    again = claimed(control)
    assert (again.number, again.attempts, again.reason) == (1, 2, None)


def test_a_quota_holds_for_a_day_and_for_its_team_alone(control: Control) -> None:
    quotas = {DESK: 100, SHOP: 5}
    for origin in "abc":
        control.submit_backfill(new_backfill(origin))
    control.submit_backfill(new_backfill("d", SHOP))
    claimed(control, **quotas)
    assert control.allow_records(1, 80, 100)
    claimed(control, **quotas)
    assert not control.allow_records(2, 21, 100)
    control.finish_backfill(2, "queued", "over")
    assert control.allow_records(1, 90, 100), "the number of an earlier attempt is replaced"
    # The third asks for one record at least, of which there is room; that of the shop too.
    assert claimed(control, **quotas).number == 3
    assert control.allow_records(3, 10, 100)
    assert claimed(control, **quotas).number == 4
    assert not control.allow_records(4, 6, 5)
    assert control.claim_backfill(quotas) is None
    second = control.backfill(2)
    assert second is not None
    assert second.reason == "waits: Order desk has sent 100 of the 100 records of a day"
    control.finish_backfill(1, "done", None)
    started = control.backfills(["done"])[0].started_at
    assert started is not None
    change(control, 1, started_at=started - dt.timedelta(hours=25))
    change(control, 2, started_at=started - dt.timedelta(hours=25))
    again = claimed(control, **quotas)
    assert again.number == 2
    assert again.started_at is not None
    assert again.started_at > started - dt.timedelta(hours=1), "it counts from now on"


def test_what_was_cancelled_in_the_queue_counts_for_no_quota(control: Control) -> None:
    for origin in "ab":
        control.submit_backfill(new_backfill(origin))
    claimed(control)
    assert not control.allow_records(1, 90, 80)
    control.finish_backfill(1, "queued", "over")
    control.cancel_backfill(1, "kim", "no")
    assert claimed(control, **{DESK: 80}).number == 2
    assert control.allow_records(2, 80, 80)


def test_what_one_that_failed_may_have_sent_counts_while_it_waits_and_once_cancelled(
    control: Control,
) -> None:
    quotas = {DESK: 5}
    for origin in "ab":
        control.submit_backfill(new_backfill(origin))
    claimed(control, **quotas)
    assert control.allow_records(1, 5, 5)
    hour = dt.timedelta(hours=1)
    control.finish_backfill(1, "queued", "no broker", pause=hour, has_failed=True)
    assert control.claim_backfill(quotas) is None
    assert control.cancel_backfill(1, "kim", "no").records == 5
    assert control.claim_backfill(quotas) is None


def test_what_its_team_could_not_send_counts_for_nothing_until_it_may(control: Control) -> None:
    for origin in "ab":
        control.submit_backfill(new_backfill(origin))
    claimed(control)
    assert not control.allow_records(1, 9, 5)
    over = control.finish_backfill(1, "queued", "over")
    assert (over.records, over.started_at) == (9, None)
    claimed(control)
    hour = dt.timedelta(hours=1)
    control.finish_backfill(1, "queued", "no broker", pause=hour, has_failed=True)
    claimed(control)
    assert control.allow_records(2, 5, 5)


def test_a_cancelled_one_is_not_begun_and_a_running_one_is_asked(control: Control) -> None:
    for origin in "ab":
        control.submit_backfill(new_backfill(origin))
    claimed(control)
    assert control.beat_backfill(1) is None
    running = control.cancel_backfill(1, "lee", "wrong month")
    assert (running.status, running.cancelled_by) == ("running", "lee")
    assert control.beat_backfill(1) == "lee"
    queued = control.cancel_backfill(2, "lee", "wrong month")
    assert (queued.status, queued.cancelled_why) == ("cancelled", "wrong month")
    ended = control.finish_backfill(1, "cancelled", "lee cancelled it")
    with pytest.raises(BackfillEnded, match="backfill 1 has ended already: cancelled"):
        control.cancel_backfill(1, "kim", "no")
    assert control.backfill(1) == ended
    assert control.claim_backfill({}) is None
    with pytest.raises(KeyError):
        control.cancel_backfill(3, "kim", "no")


@pytest.mark.process
def test_what_a_process_had_begun_that_is_gone_is_begun_again(
    control: Control, control_url: SecretStr, tmp_path: Path
) -> None:
    for origin in "ab":
        control.submit_backfill(new_backfill(origin))

    def begin_both() -> None:
        control_of_child = Control.open(control_url, tmp_path)
        control_of_child.claim_backfill({})
        control_of_child.claim_backfill({})

    assert exit_code_of(begin_both) == 0
    assert [row.status for row in control.backfills()] == ["running", "running"]
    control.cancel_backfill(2, "kim", "no more")
    again = claimed(control)
    assert (again.number, again.attempts) == (1, 2)
    assert [row.status for row in control.backfills()] == ["cancelled", "running"]


def test_what_this_process_left_when_the_database_was_away_is_begun_again(
    control: Control,
) -> None:
    control.submit_backfill(new_backfill("a"))
    first = claimed(control)
    assert first.holder is not None
    assert control.claim_backfill({}) is None, "it says that it works on it"
    change(control, 1, heartbeat_at=first.holder.heartbeat_at - dt.timedelta(seconds=31))
    assert claimed(control).attempts == 2
    long_ago = first.holder.heartbeat_at - dt.timedelta(hours=1)
    change(control, 1, heartbeat_at=long_ago, attempts=20)
    assert control.claim_backfill({}) is None
    (given_up,) = control.backfills()
    assert (given_up.status, given_up.reason) == (
        "failed",
        "20 processes that worked on it left it",
    )


def test_places_in_a_topic_are_those_behind_what_was_taken(control: Control) -> None:
    for place, offset in (("asked/id/0", 4), ("asked/id/0", 6), ("asked/id/1", 0), ("as%/x/0", 9)):
        name = f"topic:{place}:{offset}"
        control.submit_backfill(new_backfill(name, origin_place=place, origin_offset=offset))
    control.submit_backfill(new_backfill("file:x"))
    assert control.offsets_read("asked") == {"asked/id/0": 7, "asked/id/1": 1}
    assert control.offsets_read("as%") == {"as%/x/0": 10}
    assert control.offsets_read("as") == {}
