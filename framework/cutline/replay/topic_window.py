"""Topics of Kafka up to where they stand now, if they still hold what is asked for."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from cutline.errors import ConfigurationError
from cutline.kafka import ClientSettings
from cutline.kafka.cluster import KafkaCluster
from cutline.kafka.consume import PartReader
from cutline.kafka.freeze import freeze_topics
from cutline.kafka.frozen import FrozenTopics
from cutline.kafka.moments import moment_of_millis
from cutline.kafka.parts import TopicPart, slots
from cutline.kafka.registry import RegistrySettings
from cutline.replay.request import NOTHING_SENT


def freeze_window(
    settings: ClientSettings,
    topics: Sequence[str],
    key: str,
    registry: RegistrySettings | None,
    patience: float,
    begin: dt.datetime | None,
) -> FrozenTopics:
    """The topics from their beginning up to their last stable offsets.

    ConfigurationError, saying from when on there are records, where retention has removed some that
    may be of `begin` or later: an event is written when it happens, or after that. Raises else what
    `freeze_topics` says.
    """
    frozen = freeze_topics(settings, [topics], "beginning", key, registry=registry)
    if begin is None:
        return frozen
    shortened = [part for part in slots(frozen) if part.start > 0]
    if not shortened:
        return frozen
    places = [(part.topic, part.partition) for part in shortened]
    at = KafkaCluster(settings, key, starting=True).offsets_at(places, begin)
    for part in shortened:
        first = at[part.topic, part.partition]
        # With an offset below it, all that was removed is older than the window.
        if first < 0 or first > part.start:
            continue
        raise ConfigurationError(
            f"{key}: {part} no longer holds all since {begin.isoformat()}: retention removed what "
            f"came before offset {part.start:,}, and there are records from "
            f"{_first_moment(settings, key, patience, part)} on",
            left_behind=NOTHING_SENT,
            next_step="Give that moment, or a later one, as --from; what came before is in no "
            "topic: replay an archive of it.",
        )
    return frozen


def _first_moment(settings: ClientSettings, key: str, patience: float, part: TopicPart) -> str:
    reader = PartReader(settings, key, patience)
    try:
        for messages in reader.read(part):
            return moment_of_millis(messages[0].timestamp()[1]).isoformat()
    finally:
        reader.close()
    return "its end"
