"""A record that a run tells on its control topic."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cutline.identity import canonical_json, event_id

RUN_HEADER, ID_HEADER, REGION_HEADER = "migrunid", "ce_id", "ce_migregion"
"""The headers by which a record tells which run wrote it, which event it is, of which region."""


@dataclass(frozen=True)
class ControlRecord:
    """One thing that a run tells, as a CloudEvent.

    `type` is what happened (`stage-done`), `step` to what of the run; a run tells each pair of
    them once on a topic. `key` decides the partition, `time` is when it happened (with a zone),
    `source` the URI of who says it, `data` anything that has canonical JSON.
    """

    key: str
    type: str
    step: str
    time: dt.datetime
    source: str
    data: Mapping[str, Any]


def record_id(record: ControlRecord, topic: str, run_id: str) -> str:
    """The event id of a record: the same for each time that the run tells it."""
    step = canonical_json([record.step])
    return event_id(record.source, topic, record.type, run_id, step, 1)


def headers(record: ControlRecord, topic: str, run_id: str) -> dict[str, str]:
    """The headers of a record: CloudEvents attributes, and the run's own."""
    return {
        "ce_id": record_id(record, topic, run_id),
        "ce_migrunid": run_id,
        "ce_source": record.source,
        "ce_specversion": "1.0",
        "ce_subject": record.key,
        "ce_time": canonical_json(record.time).strip('"'),
        "ce_type": record.type,
        "content-type": "application/json",
        RUN_HEADER: run_id,
    }


def body(record: ControlRecord, topic: str, run_id: str) -> bytes:
    """The record as it stands on its line, from behind the offset."""
    text = canonical_json(
        {
            "timestamp": record.time,
            "key": record.key,
            "headers": headers(record, topic, run_id),
            "value": record.data,
        }
    )
    return text.removeprefix("{").encode()
