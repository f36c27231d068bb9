"""Moments as Kafka's timestamps."""

from __future__ import annotations

import datetime as dt


def milliseconds_of(moment: dt.datetime) -> int:
    """The milliseconds since 1970, cut off, by which Kafka is asked for records; 0 for a moment
    before 1970: no record is of such a time, and numbers below 0 ask Kafka for the ends of a
    partition."""
    return max(0, int(moment.timestamp() * 1000))


def moment_of_millis(millis: int) -> dt.datetime:
    """The moment of a record's timestamp, in UTC. OverflowError where its year is none from 1 to
    9999."""
    return _EPOCH + dt.timedelta(milliseconds=millis)


def micros_of_millis(millis: int) -> int:
    """Microseconds since 1970 of milliseconds. ValueError where they are of no year from 1 to 9999,
    as those of who takes nanoseconds for them."""
    if not _FIRST <= millis < _END:
        raise ValueError(f"{millis} milliseconds since 1970 are of no year from 1 to 9999")
    return millis * 1_000


_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_FIRST, _END = -62_135_596_800_000, 253_402_300_800_000
