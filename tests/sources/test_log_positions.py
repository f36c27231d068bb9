"""Positions: the order of texts is the order of numbers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cutline.errors import ConfigurationError
from cutline.positions import NOWHERE, consistent_point, lsn, position, postgres
from cutline.project.source import DebeziumChanges

LSN = st.integers(0, 2**64 - 1)
PLACES = st.tuples(LSN, LSN, st.integers(0, 10**10 - 1))


@given(PLACES, PLACES)
def test_texts_sort_as_numbers_do(one, other):
    assert (position(*one) < position(*other)) == (one < other)
    assert (position(*one) == position(*other)) == (one == other)


@given(LSN)
def test_both_ways_of_writing_a_log_position_mean_the_same(number):
    assert lsn(f"{number >> 32:X}/{number & 0xFFFFFFFF:X}") == number
    assert lsn(str(number)) == number


@given(LSN, PLACES)
def test_a_change_sorts_before_a_snapshot_exactly_when_it_was_committed_before(point, place):
    assert (position(*place) < postgres(str(point))) == (place[0] < point)


def test_postgres_writes_it_in_hexadecimal():
    assert lsn("0/16B3748") == 23803720
    assert postgres("0/16B3748") == "00000000000023803720.00000000000000000000.0000000000"


@pytest.mark.parametrize("text", ["", "16B3748", "0/", "1/123456789", "-1", str(2**64), "1.5"])
def test_what_is_no_log_position_is_refused(text):
    with pytest.raises(ConfigurationError, match="is not a log position"):
        lsn(text)


@pytest.mark.parametrize("place", [(2**64, 0, 0), (0, -1, 0), (0, 0, 10**10)])
def test_a_number_that_does_not_fit_is_refused(place):
    with pytest.raises(ValueError, match="does not fit"):
        position(*place)


def test_a_source_without_changes_has_no_consistent_point():
    assert consistent_point(None) is None
    changes = DebeziumChanges(kind="debezium", path="x", consistent_point="0/1")
    assert consistent_point(changes) == position(1)
    assert position(0) == NOWHERE
