"""Positions: the order of texts is the order of numbers, kind by kind."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cutline.errors import ConfigurationError
from cutline.positions import (
    LOGS,
    ChangeNumberPosition,
    GtidSet,
    KafkaPosition,
    MongoPosition,
    MySqlPosition,
    PgSnapshot,
    PostgresPosition,
    SqlServerPosition,
)

WIDE = st.integers(0, 2**64 - 1)
LSN_80 = st.integers(0, 2**80 - 1)
TIE = st.integers(0, 10**10 - 1)
KINDS = sorted(set(LOGS.values()), key=lambda kind: kind.__name__)


@st.composite
def two_of_a_kind(draw):
    kind = draw(st.sampled_from(KINDS))
    wide = LSN_80 if kind is SqlServerPosition else WIDE
    near = st.one_of(wide, st.integers(0, 12))
    places = st.tuples(near, near, TIE)
    return kind(*draw(places)), kind(*draw(places))


@given(two_of_a_kind())
def test_texts_sort_as_numbers_do_and_all_have_the_same_width(two):
    left, right = two
    assert (left.text < right.text) == (left < right) == (left.numbers < right.numbers)
    assert (left.text == right.text) == (left == right)
    assert len(left.text) == len(right.text) == 52


@given(two_of_a_kind())
def test_a_commit_is_told_by_the_beginning_of_the_text(two):
    left, right = two
    parts = left.commit_parts
    assert (left.commit == right.commit) == (left.numbers[:parts] == right.numbers[:parts])
    assert (left.commit < right.commit) == (left.numbers[:parts] < right.numbers[:parts])


def test_positions_of_two_kinds_do_not_compare():
    with pytest.raises(TypeError):
        _ = PostgresPosition(1) < MySqlPosition(1, 2)
    assert ChangeNumberPosition(1) != PostgresPosition(1)


@given(WIDE)
def test_both_ways_of_writing_an_lsn_mean_the_same(number):
    written = f"{number >> 32:X}/{number & 0xFFFFFFFF:X}"
    assert PostgresPosition.parse(written) == PostgresPosition.parse(str(number))
    assert PostgresPosition.parse(written) == PostgresPosition(number)


def test_each_kind_as_people_write_it_and_as_text():
    first, second, tie = "00000000000023803720", "0" * 20, "0" * 10
    assert PostgresPosition.parse("0/16B3748").text == f"{first}.{second}.{tie}"
    assert MySqlPosition.parse("mysql-bin.000003:154").numbers == (3, 154, 0)
    assert MySqlPosition.parse("my.host-bin.000010:4") > MySqlPosition.parse("bin.000009:99999")
    lsn = SqlServerPosition.parse("0000002c:00000a90:0003")
    assert lsn.text == f"0000002c00000a900003.{second}.{tie}"
    assert lsn == SqlServerPosition.parse("0x0000002C00000A900003")
    assert ChangeNumberPosition.parse("00000000000000000000143") == ChangeNumberPosition(143)
    assert KafkaPosition.parse("2:1200").commit == f"{2:020d}.{1200:020d}"
    assert MongoPosition.parse("1661327688:3").numbers == (1661327688, 3, 0)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        *((PostgresPosition, t) for t in ("", "16B3748", "0/", "1/123456789", "-1", "1.5")),
        (PostgresPosition, str(2**64)),
        (MySqlPosition, "mysql-bin.000003"),
        (MySqlPosition, "mysql-bin:154"),
        (SqlServerPosition, "0000002c:00000a90"),
        (ChangeNumberPosition, "12a"),
        (KafkaPosition, "12"),
        (MongoPosition, "x:1"),
    ],
)
def test_what_is_no_log_position_is_refused_with_an_example(kind, text):
    with pytest.raises(ConfigurationError, match="is not a log position") as refused:
        kind.parse(text)
    assert kind.example in refused.value.next_step


@pytest.mark.parametrize(
    ("kind", "place"),
    [
        (PostgresPosition, (10**20, 0, 0)),
        (PostgresPosition, (0, -1, 0)),
        (PostgresPosition, (0, 0, 10**10)),
        (SqlServerPosition, (16**20, 0, 0)),
    ],
)
def test_a_number_that_does_not_fit_is_refused(kind, place):
    with pytest.raises(ValueError, match="does not fit"):
        kind(*place)


SERVER = "3e11fa47-71ca-11e1-9e33-c80aa9429562"


def test_a_set_of_gtids_holds_both_ends_of_its_intervals():
    executed = GtidSet.parse(f"{SERVER.upper()}:1-5:7,\n{SERVER[:-1]}3:2")
    shown = [n for n in range(10) if f"{SERVER}:{n}" in executed]
    assert shown == [1, 2, 3, 4, 5, 7]
    assert f"{SERVER[:-1]}3:2" in executed
    assert f"{SERVER[:-1]}4:2" not in executed


@pytest.mark.parametrize("text", ["", "x:1", f"{SERVER}", f"{SERVER}:0", f"{SERVER}:5-4"])
def test_what_is_no_set_of_gtids_is_refused(text):
    with pytest.raises(ConfigurationError, match="global transaction ids"):
        GtidSet.parse(text)


def test_a_snapshot_sees_what_had_ended_and_not_what_was_in_progress():
    snapshot = PgSnapshot.parse("700:720:705,711")
    assert [x for x in range(698, 723) if not snapshot.sees(x)] == [705, 711, 720, 721, 722]


def test_a_snapshot_of_a_slot_that_waited_for_a_rollback_ends_below_its_beginning():
    snapshot = PgSnapshot.parse("1153:1152:")
    assert (snapshot, [x for x in range(1150, 1156) if not snapshot.sees(x)]) == (
        PgSnapshot(1153, 1153),
        [1153, 1154, 1155],
    )


@given(st.integers(0, 2**40), st.integers(-(2**30), 2**30))
def test_a_short_transaction_id_is_widened_to_the_nearest_of_64_bits(xmax, apart):
    wide = xmax + apart
    if wide >= 0:
        assert PgSnapshot(xmax, xmax).widened(wide % 2**32) == wide or wide >= 2**32 > wide % 2**32
        assert PgSnapshot(xmax, xmax).widened(wide % 2**32) % 2**32 == wide % 2**32


@pytest.mark.parametrize("text", ["", "1:2", "5:4:4", "1:3:3", "1:9:0", "a:b:"])
def test_what_is_no_snapshot_is_refused(text):
    with pytest.raises(ConfigurationError, match="is not a snapshot"):
        PgSnapshot.parse(text)
