"""What people say: needs and times as they are written, and from when on the past is wanted."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from cutline.advice import needs_of, span_of
from cutline.advice.needs import ALL, DOWNTIME, HORIZON, NONE
from cutline.advice.situation import RetainedEvents, Situation
from cutline.errors import ConfigurationError

NOW = dt.datetime(2026, 11, 1, tzinfo=dt.UTC)


def days(number: float) -> dt.timedelta:
    return dt.timedelta(days=number)


@pytest.mark.parametrize(
    ("option", "text", "time"),
    [
        (DOWNTIME, None, None),
        (DOWNTIME, "90m", dt.timedelta(minutes=90)),
        (DOWNTIME, "4h", dt.timedelta(hours=4)),
        (DOWNTIME, " 2D ", days(2)),
        (DOWNTIME, "none", NONE),
        (HORIZON, "2w", days(14)),
        (HORIZON, "5y", days(5 * 365)),
        (HORIZON, "all", ALL),
        (HORIZON, days(3), days(3)),
    ],
)
def test_times_are_read(option: str, text: Any, time: dt.timedelta | None) -> None:
    assert span_of(option, text) == time


@pytest.mark.parametrize(
    ("option", "text"),
    [(DOWNTIME, "all"), (DOWNTIME, "4"), (HORIZON, "-3d"), (HORIZON, days(-3)), (HORIZON, "4 h")],
)
def test_what_is_no_time_is_refused_by_its_option(option: str, text: Any) -> None:
    with pytest.raises(ConfigurationError, match=option) as refused:
        span_of(option, text)
    assert refused.value.left_behind == "Nothing was changed."


def test_needs_are_in_one_order_and_each_once() -> None:
    assert needs_of(("facts", "state", "facts")) == ("state", "facts")


@pytest.mark.parametrize(
    ("horizon", "oldest", "wanted"),
    [
        (None, days(3000), days(3000)),
        (ALL, days(3000), days(3000)),
        (days(30), days(3000), days(30)),
        # What the legacy does not have nobody can want.
        (days(3000), days(30), days(30)),
        (days(30), None, days(30)),
        (ALL, None, None),
        (days(99_999 * 365), days(30), days(30)),
    ],
)
def test_from_when_on_the_past_is_wanted(
    horizon: dt.timedelta | None, oldest: dt.timedelta | None, wanted: dt.timedelta | None
) -> None:
    of = Situation(
        frozenset({"facts"}),
        NOW,
        horizon=horizon,
        oldest=None if oldest is None else NOW - oldest,
    )
    assert of.wanted_since == (None if wanted is None else NOW - wanted)


def test_a_topic_reaches_back_that_begins_within_a_day_of_the_oldest_fact() -> None:
    of = Situation(frozenset({"facts"}), NOW, horizon=ALL, oldest=NOW - days(30))
    begins = {20: False, 28.9: False, 29: True, 31: True}
    for age, reaches in begins.items():
        assert of.reaches(RetainedEvents("t", 1, whole_since=NOW - days(age))) is reaches, age


def test_a_replay_would_send_what_reaches_back_whole_and_read() -> None:
    late = RetainedEvents("late", 9, whole_since=NOW - days(3), unread=0.0)
    lacking = RetainedEvents("lacking", 9, whole_since=NOW - days(40), unread=0.0, missing=("leg",))
    unread = RetainedEvents("unread", 9, whole_since=NOW - days(40), unread=0.5)
    best = RetainedEvents("best", 9, whole_since=NOW - days(40), unread=0.1)
    empty = RetainedEvents("empty", 0)
    every = (empty, late, lacking, unread, best)
    for last in (5, 4, 3, 2, 1):
        of = Situation(
            frozenset({"facts"}), NOW, horizon=ALL, oldest=NOW - days(30), retained=every[:last]
        )
        assert of.best_retained == every[last - 1]
