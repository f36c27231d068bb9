"""What a group would read again, from a moment or from the beginning: counted, nothing moved."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from cutline.errors import ConfigurationError
from cutline.topics.kafka.group import NOTHING_MOVED, GroupOnTopic

_SAFE, _SAYS_NO = "ce_migreplaysafe", b"false"


@dataclass(frozen=True)
class PartitionPlan:
    """A partition that would be read again.

    `progress` is the offset that the group reads next now, `target` the one that it would read
    next. Of the `records` from there on, `unlabelled` do not say that they are history.
    """

    partition: int
    progress: int
    target: int
    records: int
    unlabelled: int

    def stored(self) -> dict[str, int]:
        """Its values by name."""
        return asdict(self)


def reconsume_plan(
    group: GroupOnTopic, since: dt.datetime | None, now: dt.datetime
) -> list[PartitionPlan]:
    """The partitions that the group would read again from a moment on, or from the beginning where
    it is null, in their order.

    A record counts by the time that Kafka has of it, and those before the first one of the moment
    or later are left out, however the rest is ordered. ConfigurationError for a moment in the
    future, where retention has removed what may be of it or later, and where nothing would be read
    again.
    """
    refuse_future(since, now)
    progress = group.progress()
    targets = offsets_since(group, progress, since)
    behind = {number: at for number, at in targets.items() if at < progress[number]}
    if not behind:
        raise ConfigurationError(
            f"group {group.name} has read nothing of topic {group.topic} from "
            f"{'its beginning' if since is None else since.isoformat()} on: nothing would be "
            "delivered again",
            left_behind=NOTHING_MOVED,
            next_step="Give an earlier moment.",
        )
    return [_counted(group, n, progress[n], behind[n]) for n in sorted(behind)]


def refuse_future(since: dt.datetime | None, now: dt.datetime) -> None:
    """ConfigurationError for a moment that is not over."""
    if since is not None and since > now:
        raise ConfigurationError(
            f"--from {since.isoformat()} is in the future: nothing of it was read",
            left_behind=NOTHING_MOVED,
            next_step="Give a moment before now.",
        )


def offsets_since(
    group: GroupOnTopic, progress: Mapping[int, int], since: dt.datetime | None
) -> dict[int, int]:
    """By partition of `progress` the first offset of a moment or later, or that is there where it
    is null; that of `progress` where there is none. ConfigurationError where retention has removed
    what may be of the moment."""
    first = {number: bounds.first for number, bounds in group.bounds().items()}
    if since is None:
        return {number: first[number] for number in progress}
    at = group.offsets_at(progress, since)
    for number, offset in sorted(at.items()):
        # With an offset above the first one, all that was removed is older than the moment.
        if first[number] > 0 and offset == first[number] and first[number] < progress[number]:
            raise ConfigurationError(
                f"{group.topic}[{number}] may no longer hold all since {since.isoformat()}: "
                f"retention removed what came before offset {first[number]:,}",
                left_behind=NOTHING_MOVED,
                next_step="Give a later moment, or take what is there: --from beginning. What was "
                "removed is in no topic: cutline replay sends it from an archive.",
            )
    # Where nothing is of the moment or later, there is nothing to read again.
    return {number: offset if offset >= 0 else progress[number] for number, offset in at.items()}


def _counted(group: GroupOnTopic, number: int, progress: int, target: int) -> PartitionPlan:
    records = unlabelled = 0
    for message in group.records(number, target, progress):
        headers: Any = message.headers() or ()
        records += 1
        unlabelled += (_SAFE, _SAYS_NO) not in headers
    return PartitionPlan(number, progress, target, records, unlabelled)
