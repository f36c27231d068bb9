"""The whole history, reckoned from the share of it that was rehearsed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cutline.control import RunRecord
from cutline.results import ReportResult
from cutline.topics.names import is_history, is_state

GIGABYTE = 1_000_000_000


@dataclass(frozen=True)
class WholeHistory:
    """Records and bytes of one copy of the history with its states, and the seconds that it takes
    to publish at the rate that was measured."""

    records: int
    bytes: int
    seconds: float

    @property
    def gigabytes(self) -> float:
        """Of 1,000,000,000 bytes."""
        return self.bytes / GIGABYTE


def whole_history(record: RunRecord, volume: Mapping[str, Any]) -> WholeHistory | None:
    """What all that a run published comes to; null where neither run nor rehearsal has records.

    A topic's kind of which nothing was rehearsed is reckoned by the bytes of the other.
    """
    reported = record.result_of(ReportResult)
    published = {} if reported is None else reported.published
    events = sum(count for topic, count in published.items() if is_history(topic))
    states = sum(count for topic, count in published.items() if is_state(topic))
    rehearsed = volume["events"] + volume["states"]
    if not rehearsed or not events + states:
        return None
    mean = (volume["event_bytes"] + volume["state_bytes"]) / rehearsed
    of_event = volume["event_bytes"] / volume["events"] if volume["events"] else mean
    of_state = volume["state_bytes"] / volume["states"] if volume["states"] else mean
    return WholeHistory(
        records=events + states,
        bytes=round(events * of_event + states * of_state),
        seconds=(events + states) / volume["records_per_second"],
    )
