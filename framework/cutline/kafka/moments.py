"""Moments as Kafka's timestamps."""

from __future__ import annotations

import datetime as dt


def milliseconds_of(moment: dt.datetime) -> int:
    """The milliseconds since 1970, cut off, by which Kafka is asked for records; 0 for a moment
    before 1970: no record is of such a time, and numbers below 0 ask Kafka for the ends of a
    partition."""
    return max(0, int(moment.timestamp() * 1000))
