"""Where each slice stands, and when its sources were first read."""

from __future__ import annotations

import datetime as dt
import os
import socket
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import update

from cutline.control import Control, RunKey
from cutline.control.models import SLICES

NOON = dt.datetime(2026, 11, 1, 12, tzinfo=dt.UTC)


def test_before_anything_there_are_no_slices(control: Control) -> None:
    assert control.slices() == []


def test_a_slice_shows_its_newest_run_and_how_many_there_were(control: Control) -> None:
    with control.lease("fulfilment", "eu-west") as lease:
        for run_id in ("b", "a"):
            control.begin(RunKey("fulfilment", "eu-west", run_id, {}), NOON, lease)
            control.complete(run_id, lease)
        control.decide("b", "no-go", "gate outcome", lease)
        control.decide("a", "go", "gates", lease)
    with control.lease("fulfilment", "ap-south"):
        pass
    with control.lease("billing", "eu-west") as lease:
        control.begin(RunKey("billing", "eu-west", "c", {}), NOON, lease)
        control.fail("c", "why", lease)
    slices = [
        (s.context, s.region, s.last_run, s.status, s.decision, s.runs, s.authority, s.holder)
        for s in control.slices()
    ]
    assert slices == [
        ("billing", "eu-west", "c", "failed", None, 1, "legacy", None),
        ("fulfilment", "ap-south", None, None, None, 0, "legacy", None),
        ("fulfilment", "eu-west", "a", "complete", "go", 2, "legacy", None),
    ]


def test_a_slice_shows_who_works_on_it(control: Control) -> None:
    with control.lease("fulfilment", "eu-west"):
        (status,) = control.slices()
        holder = status.holder
        assert holder is not None
        assert (holder.host, holder.pid) == (socket.gethostname(), os.getpid())
        assert holder.since.tzinfo is dt.UTC
    assert control.slices()[0].holder is None


def test_a_holder_that_is_gone_is_not_shown(control: Control) -> None:
    with control.lease("fulfilment", "eu-west"):
        with control.database.write() as connection:
            connection.execute(update(SLICES).values(holder_started=1.0))
        assert control.slices()[0].holder is None


def test_an_input_keeps_the_moment_of_its_first_extract(control: Control) -> None:
    later = NOON + dt.timedelta(days=1)
    erp = ("fulfilment", "eu-west", "erp", "0/16B3748")
    assert control.remember_extract(*erp, NOON) == NOON
    assert control.remember_extract(*erp, later) == NOON
    assert control.remember_extract(*erp, later).tzinfo is dt.UTC
    for other_input in (
        ("billing", "eu-west", "erp", "0/16B3748"),
        ("fulfilment", "us-east", "erp", "0/16B3748"),
        ("fulfilment", "eu-west", "shop", "0/16B3748"),
        ("fulfilment", "eu-west", "erp", "0/16B3749"),
    ):
        assert control.remember_extract(*other_input, later) == later


@pytest.mark.parametrize("size", [0, 100_000])
def test_a_position_may_have_any_length(control: Control, size: int) -> None:
    # Random, so that no database can compress it into an index entry.
    position = os.urandom(size // 2).hex()
    assert control.remember_extract("fulfilment", "eu-west", "files", position, NOON) == NOON
    later = NOON + dt.timedelta(days=1)
    assert control.remember_extract("fulfilment", "eu-west", "files", position, later) == NOON


def test_of_several_first_extracts_one_is_the_first(control: Control) -> None:
    def remember(seconds: int) -> dt.datetime:
        moment = NOON + dt.timedelta(seconds=seconds)
        return control.remember_extract("fulfilment", "eu-west", "erp", "1", moment)

    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(remember, range(16)))) == 1
