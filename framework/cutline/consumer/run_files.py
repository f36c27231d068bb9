"""A service over topics of files: all that stands there, and then it ends."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence

from cutline.consumer.database_errors import explained_database_errors
from cutline.consumer.endings import stopped_by_signals
from cutline.consumer.errors import Stopping
from cutline.consumer.files import FilesSource
from cutline.consumer.gate import Mode
from cutline.consumer.handling import Handled
from cutline.consumer.service import Service

_WAIT = 0.1
_SEND_SECONDS = 1.0


def run_files(service: Service, source: FilesSource, topics: Sequence[str]) -> Counter[Handled]:
    """Handles what topics of files hold behind the service's positions, and sends its effects.

    Topics are read in the order in which they are named, history before live; each partition by
    itself. Effects that fail are tried again before it ends, and those that a killed process had
    claimed are sent. Returns what became of how many records. SIGTERM and SIGINT end it early.
    """
    results: Counter[Handled] = Counter()
    with stopped_by_signals(service.stop), explained_database_errors():
        _run(service, source, topics, results)
    return results


def _run(
    service: Service, source: FilesSource, topics: Sequence[str], results: Counter[Handled]
) -> None:
    service.redrive.go_on(lambda: service.is_stopped)
    for topic in topics:
        for partition in source.partitions(topic):
            start = service.begin((topic, partition))
            for record in source.records(topic, partition, start):
                if service.is_stopped:
                    return
                try:
                    results[service.handle(record)] += 1
                except Stopping:
                    return
                service.outbox.deliver(_SEND_SECONDS)
    _send_the_rest(service)
    service.forget()


def _send_the_rest(service: Service) -> None:
    """Sends until nothing is pending. Where nothing can be sent, it waits as long as retries pause
    and a claim lasts."""
    policy = service.policy
    patience = policy.retries.total + policy.claim_seconds
    ends_at = time.monotonic() + patience
    while policy.mode is Mode.LIVE and service.outbox.pending() and not service.is_stopped:
        if service.outbox.deliver(_SEND_SECONDS):
            ends_at = time.monotonic() + patience
        elif time.monotonic() > ends_at:
            return
        else:
            time.sleep(_WAIT)
