"""The settings of a consumer of Kafka: what a service may choose, and what it may not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cutline.consumer.errors import ConsumerError
from cutline.consumer.retries import Retries

FIXED: Mapping[str, Any] = {
    # The position is in the service's database; what Kafka stores is for those who look at the lag.
    "enable.auto.commit": False,
    "enable.auto.offset.store": False,
    "isolation.level": "read_committed",
    # By default a position that is gone is passed over without a word.
    "auto.offset.reset": "error",
    "partition.assignment.strategy": "cooperative-sticky",
    "enable.partition.eof": False,
}
"""What keeps each event once; a service may not set it otherwise."""
_ERRORS = "error_cb"
_POLL = "max.poll.interval.ms"
_POLL_MS = 300_000


def client_settings(
    settings: Mapping[str, Any],
    group: str,
    retries: Retries,
    fixed: Mapping[str, Any] = FIXED,
) -> dict[str, Any]:
    """The settings of a client, in librdkafka's words: those given, and those that are fixed.

    ConsumerError, with the setting, for a fixed one that says something else, and for retries that
    wait so long that Kafka would take the partitions away.
    """
    for name, value in fixed.items():
        if settings.get(name, value) != value:
            raise ConsumerError(
                f"the setting {name} is {settings[name]!r}, and must be {value!r}",
                left_behind="Nothing was read.",
                next_step="Leave it out.",
            )
    if _ERRORS in settings:
        raise ConsumerError(
            f"the setting {_ERRORS} is the service's own",
            left_behind="Nothing was read.",
            next_step="Leave it out; errors are in the log of cutline.consumer.",
        )
    longest = float(settings.get(_POLL, _POLL_MS)) / 1000
    if retries.total > longest / 2:
        raise ConsumerError(
            f"retries wait up to {retries.total:.0f} s, and {_POLL} allows {longest:.0f} s "
            "between two events",
            left_behind="Nothing was read.",
            next_step=f"Try less often, or set {_POLL} to more than twice as long.",
        )
    return {"group.id": group, **settings, **fixed}
