"""What an attempt of a task does whose partition a later attempt has taken."""

from __future__ import annotations

import contextlib
import time

from confluent_kafka import Consumer

from cutline.topics.kafka.claim import TRANSIENT
from cutline.topics.kafka.progress import last_progress
from cutline.topics.kafka.slots import Publisher, Slot

_STALLED_SECONDS = 60.0
"""Longer than any transaction of ours takes, and than any rest between two."""
_LOOK_SECONDS = 2.0


def wait_for_newer(
    publisher: Publisher,
    slot: Slot,
    consumer: Consumer,
    stalled_seconds: float = _STALLED_SECONDS,
    look_seconds: float = _LOOK_SECONDS,
) -> None:
    """Returns when the attempt that has the partition has committed nothing for so long.

    Spark ends this one when that one is done. If it failed instead, it would count as a failure of
    the task, of which Spark allows few, and another copy would be started beside the newer one.
    """
    newest, moved = None, time.monotonic()
    while time.monotonic() - moved < stalled_seconds:
        time.sleep(look_seconds)
        with contextlib.suppress(*TRANSIENT):
            progress = last_progress(publisher, slot, consumer)
            if progress != newest:
                newest, moved = progress, time.monotonic()
